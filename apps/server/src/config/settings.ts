import { z } from 'zod';
import { parseMailAddress } from '../mail/mail-address.ts';
import { LIVE_APPROVALS } from '../merchants/own-merchant.ts';
import { REGISTRATION_POLICIES } from '../people/registration.ts';
import { CHAIN_SETTINGS } from './chain-settings.ts';
import {
  addressRanges,
  askedBase,
  calledAddress,
  databaseAddress,
  listenAddress,
  portNumber,
  proxyRanges,
  setting,
  webAddress,
  wholeNumber,
} from './setting.ts';

/** The settings of all processes; docs/configuration.md is generated from them. */

const MAX_USER_NAME = 100;
/** Longer than a delivery can last: twelve attempts, each postponed by at most two days. */
const LEAST_RETENTION_DAYS = 30;
/** Everything that a loop waits for times out well before. */
export const WATCHDOG_SECONDS = 60;

const DEVELOPMENT_ONLY = 'is for development only';
const PRICE_SOURCE = {
  encrypted: true,
  meaning: 'a price source; https in production, but for one in your own network',
};

const RATE_SOURCE = {
  encrypted: true,
  meaning: 'a source of exchange rates; https in production, but for one in your own network',
};

const clockPace = z
  .string()
  .regex(/^\d{1,4}@\d{13}$/, 'must be a rate and a moment, for example 30@1794700000000')
  .transform((text) => {
    const [rate, fromMs] = text.split('@').map(Number);
    return { rate: rate ?? 1, fromMs: fromMs ?? 0 };
  });

const mailbox = z
  .string()
  .trim()
  .refine((text) => parseMailAddress(text) !== undefined, 'must be one plain email address');

const LEAST_SECRET_BYTES = 24;

const webhookSecret = z
  .string()
  .trim()
  .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, { error: 'must be whsec_ and base64', abort: true })
  .refine(
    (text) => Buffer.from(text.slice(text.indexOf('_') + 1), 'base64').length >= LEAST_SECRET_BYTES,
    `must have at least ${LEAST_SECRET_BYTES} bytes`,
  );

const shards = z
  .string()
  .regex(/^[A-Z0-9]{1,36}$/, 'must be letters A to Z and digits, without separators')
  .refine((text) => new Set(text).size === text.length, 'names a shard twice');

export const SETTINGS = {
  COUNTERFOIL_ENVIRONMENT: setting(z.enum(['development', 'production']).default('production'), {
    meaning:
      "`production` refuses plain http (not redirects it); `development` accepts it and shows the API's reference at `/docs`",
  }),
  COUNTERFOIL_DATABASE_URL: setting(databaseAddress, {
    secret: true,
    meaning:
      '`postgresql://` address of the primary, with the role of the process ([Database roles](operations/install.md#database-roles))',
  }),
  COUNTERFOIL_VIEWS_DATABASE_URL: setting(databaseAddress, {
    secret: true,
    meaning: 'the same database in the role `counterfoil_views`, which only looks: lists and reports',
  }),
  COUNTERFOIL_DATABASE_CONNECTIONS: setting(wholeNumber(1, 200).default(10), { meaning: 'connections per process' }),
  COUNTERFOIL_DATABASE_BUDGET: setting(wholeNumber(1, 100_000).optional(), {
    fallback: 'counted from the processes that run, with two APIs',
    meaning:
      'connections that all processes together may open at full scale, one more of each kind during an upgrade included; `doctor` compares it with what the database gives',
  }),
  COUNTERFOIL_DATABASE_WAIT_SECONDS: setting(wholeNumber(1, 60).default(2), {
    meaning: 'how long a request waits for a database connection before it fails',
  }),
  COUNTERFOIL_ANY_DATABASE_ROLE: setting(z.enum(['refuse', 'allow']).default('refuse'), {
    refused: { why: DEVELOPMENT_ONLY, except: 'refuse' },
    meaning: '`allow` lets a process connect as anybody',
  }),
  COUNTERFOIL_KEY_RING_FILE: setting(z.string().min(1).optional(), {
    fallback: 'required in production',
    meaning:
      'the key ring: signs webhooks, chains audit entries, opens the secrets of authenticator apps and exchange accounts. The API never needs it. While the file is missing or unusable a worker goes on with everything else',
  }),
  COUNTERFOIL_STATE_DIR: setting(z.string().startsWith('/', 'must be an absolute path').optional(), {
    fallback: 'required (worker)',
    meaning:
      'a folder of the worker that outlives it and lies outside of the database and its backups. The mark there shows when the database was restored or lost commits ([Alarms](alarms.md#database-went-back)). Workers may share it',
  }),
  COUNTERFOIL_HOST: setting(listenAddress.default('127.0.0.1'), {
    meaning: 'address to listen on: an IP address, or a host name',
  }),
  COUNTERFOIL_PORT: setting(portNumber.default(3000), {
    meaning: 'merchant API and checkout; `0`, as for every port: any free one, which the log names',
  }),
  COUNTERFOIL_DASHBOARD_PORT: setting(portNumber.default(3003), {
    meaning: "the dashboard's pages and what they call",
  }),
  COUNTERFOIL_OPERATIONS_HOST: setting(listenAddress.default('127.0.0.1'), {
    meaning: 'address of the operations ports; whoever reaches it may read everything there',
  }),
  COUNTERFOIL_OPERATIONS_PORT: setting(portNumber.default(3001), {
    meaning: '`/livez`, `/readyz` with its reasons, `/metrics` of the API; keep it inside',
  }),
  COUNTERFOIL_WORKER_OPERATIONS_PORT: setting(portNumber.default(3002), { meaning: 'the same of the worker' }),
  COUNTERFOIL_DASHBOARD_OPERATIONS_PORT: setting(portNumber.default(3004), {
    meaning: "the same of the dashboard's server",
  }),
  COUNTERFOIL_DRAIN_SECONDS: setting(wholeNumber(0, 60).default(5), {
    meaning:
      'how long a stopped process keeps serving while `/readyz` returns 503, so that load balancers send new requests elsewhere. Must be longer than the interval of their health checks. The stop timeout of the supervisor must be at least 15 s longer',
  }),
  COUNTERFOIL_TRUSTED_PROXIES: setting(proxyRanges, {
    meaning:
      "comma-separated CIDR ranges whose `X-Forwarded-For` and `-Proto` are believed, a 64th of all addresses at most. Behind a proxy set it, or every caller without a key shares the proxy's rate limit, and in production every request is refused as plain http",
  }),
  COUNTERFOIL_LOG_LEVEL: setting(z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'), {
    meaning: '`debug`, `info`, `warn`, `error`, `silent`',
  }),
  COUNTERFOIL_CHECKOUT_URL: setting(webAddress, {
    fallback: 'required (API)',
    meaning:
      "https in production; base of `url_payment` and of the checkout page's own paths, never taken from a request. The dashboard's server shows links to invoices and offers top-ups only with it",
  }),
  COUNTERFOIL_CHECKOUT_VIEWERS: setting(wholeNumber(1, 100_000).default(10_000), {
    meaning: 'open streams of the checkout page that one API process serves; further viewers poll',
  }),
  COUNTERFOIL_DASHBOARD_URL: setting(webAddress.optional(), {
    fallback: "required (dashboard's server, and with a mail server)",
    meaning:
      'https in production, with a host name of its own: passkeys, cookies and the links in mails belong to it, and it is never taken from a request. `http://localhost:...` in development',
  }),
  COUNTERFOIL_STORE_PLAN: setting(z.string().min(1).optional(), {
    meaning: 'code of the plan of stores that members create in the dashboard; without it only operators create stores',
  }),
  COUNTERFOIL_REGISTRATION: setting(z.enum(REGISTRATION_POLICIES).default('closed'), {
    meaning:
      'who becomes a person without an operator: `closed` nobody; `invited` whoever a member of a merchant invited; `open` also whoever signs up and follows the link in the mail, which needs a mail server (in production it is refused without one). Whoever is a person already accepts invitations in any case',
  }),
  COUNTERFOIL_LIVE_APPROVAL: setting(z.enum(LIVE_APPROVALS).default('operator'), {
    meaning:
      'who approves a business that a user opened (`open` registration) for live stores: `operator` by `merchant approve`, or `automatic`. Test stores work immediately',
  }),
  COUNTERFOIL_MAIL_URL: setting(z.string().optional(), {
    secret: true,
    meaning:
      'the mail server: `smtp://user:password@host` (port 587, STARTTLS is demanded) or `smtps://...` (port 465, encrypted from the first byte); a special character of the password is written as `%40`. Its certificate must be good for the host; for an authority of your own set `NODE_EXTRA_CA_CERTS`. A worker with a mail server sends the emails of all processes. Without one anywhere nothing is sent, and nothing says that it was. In development a server on the same machine may be plain',
  }),
  COUNTERFOIL_MAIL_FROM: setting(z.string().optional(), {
    fallback: 'required with a mail server',
    meaning: 'the sender: `Name <address>`, or an address',
  }),
  COUNTERFOIL_ALARM_EMAIL: setting(mailbox.optional(), {
    meaning:
      'email address that receives [alerts](alarms.md#alerts) about alarms; needs a mail server. Set the same value for all workers',
  }),
  COUNTERFOIL_ALARM_URL: setting(calledAddress.optional(), {
    secret: true,
    encrypted: true,
    meaning:
      'URL that receives [alerts](alarms.md#alerts) about alarms, signed like webhooks; https in production, except for hosts in your own network, which may be private',
  }),
  COUNTERFOIL_ALARM_SECRET: setting(webhookSecret.optional(), {
    secret: true,
    fallback: 'required with `COUNTERFOIL_ALARM_URL`',
    meaning: `signs the alerts for \`COUNTERFOIL_ALARM_URL\`: \`whsec_\` and at least ${LEAST_SECRET_BYTES} random bytes in base64 (\`echo whsec_$(openssl rand -base64 32)\`)`,
  }),
  COUNTERFOIL_HEARTBEAT_URL: setting(calledAddress.optional(), {
    secret: true,
    encrypted: true,
    meaning:
      'URL that a worker calls by GET every minute while it works ([Heartbeat](operations/monitor.md#heartbeat)); https in production, except for hosts in your own network. Give each worker its own',
  }),
  COUNTERFOIL_POLL_MS: setting(wholeNumber(50, 60_000).optional(), {
    fallback: '`1000`, Solana `2000`, Tron `6000`',
    meaning:
      'how often a chain is asked when nothing happens; set, it holds for all. Exchange accounts are asked every 2 s at most',
  }),
  COUNTERFOIL_PRICE_BINANCE_URL: setting(askedBase.default('https://api.binance.com'), PRICE_SOURCE),
  COUNTERFOIL_PRICE_KRAKEN_URL: setting(askedBase.default('https://api.kraken.com'), PRICE_SOURCE),
  COUNTERFOIL_PRICE_COINBASE_URL: setting(askedBase.default('https://api.exchange.coinbase.com'), PRICE_SOURCE),
  COUNTERFOIL_RATE_COINBASE_URL: setting(askedBase.default('https://api.coinbase.com'), RATE_SOURCE),
  COUNTERFOIL_RATE_INDEPENDENT_RESERVE_URL: setting(
    askedBase.default('https://api.independentreserve.com'),
    RATE_SOURCE,
  ),
  COUNTERFOIL_RATE_ECB_URL: setting(askedBase.default('https://www.ecb.europa.eu'), RATE_SOURCE),
  COUNTERFOIL_RATE_OPENEXCHANGERATES_URL: setting(calledAddress.optional(), {
    secret: true,
    encrypted: true,
    meaning:
      'a further source of exchange rates, which [some currencies](currencies.md) need: `https://openexchangerates.org/api/latest.json?app_id=...` with your own app id',
  }),
  COUNTERFOIL_EGRESS_ADDRESSES: setting(addressRanges, {
    meaning:
      'comma-separated addresses that our requests come from. `exchange add` shows them: merchants bind the keys of their exchange accounts to them',
  }),
  COUNTERFOIL_SHARDS: setting(shards.optional(), {
    fallback: 'all 36',
    meaning:
      'letters and digits, for example `ABC7`: the shards that merchants opened by this command line or by users may have. Cells of one installation have different ones',
  }),
  COUNTERFOIL_REFUSED_CALLBACK_RANGES: setting(addressRanges, {
    meaning:
      'comma-separated CIDR ranges, public ones of your own, that webhooks never go to; all that are not public are refused anyway',
  }),
  COUNTERFOIL_WEBHOOK_RETENTION_DAYS: setting(wholeNumber(LEAST_RETENTION_DAYS, 3_650).default(90), {
    meaning: 'how long sent bodies and attempts are kept, 30 at least',
  }),
  COUNTERFOIL_PRIVATE_CALLBACKS: setting(z.enum(['refuse', 'allow']).default('refuse'), {
    refused: { why: DEVELOPMENT_ONLY, except: 'refuse' },
    meaning:
      '`allow` lets callback addresses be private, at creation (API, dashboard), for test events (dashboard, command line) and when sending (worker)',
  }),
  COUNTERFOIL_CLOCK_PACE: setting(clockPace.optional(), {
    refused: { why: 'is for tests and demonstrations only' },
    meaning: 'a faster clock',
  }),
  COUNTERFOIL_FAILPOINT: setting(z.string().optional(), {
    refused: { why: 'is for drills only' },
    meaning: 'where a drill kills the process, or hangs it (`hang NAME`)',
  }),
  COUNTERFOIL_WATCHDOG_SECONDS: setting(wholeNumber(1, WATCHDOG_SECONDS).optional(), {
    fallback: `\`${WATCHDOG_SECONDS}\``,
    refused: { why: 'is for tests only' },
    meaning: 'how long a loop may show no life before the process ends',
  }),
  SUDO_USER: setting(z.string().max(MAX_USER_NAME).optional(), {
    meaning: 'set by `sudo`: who the audit says ran a command',
  }),
};

/** Every setting by name, including network settings. */
export const ALL_SETTINGS: Readonly<Record<string, z.ZodType>> = { ...SETTINGS, ...CHAIN_SETTINGS };
