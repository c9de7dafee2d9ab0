import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address } from 'viem';
import { startLiveChain } from '../../rig/chains/evm/live-chain.ts';
import { payToken } from '../../rig/chains/evm/payment.ts';
import { canonicalToken } from '../../rig/chains/evm/token.ts';
import { findNetwork } from '../../rig/chains/networks.ts';
import { roleUrl } from '../../rig/database/role-database.ts';
import { freePort, LOOPBACK } from '../../rig/fakes/listen.ts';
import { priceSettings, startPriceServers } from '../../rig/fakes/price-servers.ts';
import { makeMailCertificate } from '../../rig/mail/mail-certificate.ts';
import type { SmtpReceiver } from '../../rig/mail/smtp-receiver.ts';
import { startSmtpReceiver } from '../../rig/mail/smtp-receiver.ts';
import type { Caddy } from '../../rig/processes/caddy.ts';
import { startCaddy } from '../../rig/processes/caddy.ts';
import type { Closers } from '../../rig/site/site-processes.ts';
import type { Receiver } from '../../rig/webhooks/receiver.ts';
import { startReceiver } from '../../rig/webhooks/receiver.ts';
import type { Database } from '../../src/db/database.ts';
import { OWNER } from '../../src/db/role.ts';
import { systemClock } from '../../src/lib/clock.ts';

/** The surroundings of both versions: database, Caddy, a chain, price sources, a mail server and the merchant's receiver. */

export const NETWORK = 'BSC';
export const TOKEN = 'USDT';
/** Distance of `safe` behind the head, in blocks. */
const SLOTS_IN_AN_EPOCH = 1;
const POLL_MS = '200';
const DRAIN_SECONDS = '5';
/** The third worker only joins at the end. */
export const SLOTS = ['api-1', 'api-2', 'dashboard', 'worker-1', 'worker-2', 'worker-3'] as const;
export type Slot = (typeof SLOTS)[number];
export type Kind = 'api' | 'dashboard' | 'worker';

type Settings = Record<string, string>;

export type Site = {
  url: string;
  /** The database as its administrator, to inspect rows. */
  database: Database;
  caddy: Caddy;
  receiver: Receiver;
  mailbox: SmtpReceiver;
  ports: Record<'api-1' | 'api-2' | 'dashboard', number>;
  settings: Record<Kind | 'admin' | 'owner', Settings & { COUNTERFOIL_KEY_RING_FILE: string }>;
  pay(to: string, units: bigint): Promise<string>;
};

function ownerUrl(url: string): string {
  const address = new URL(url);
  address.username = OWNER;
  return address.href;
}

type Parts = Pick<Site, 'url' | 'caddy' | 'mailbox'> & {
  ringFile: string;
  node: string;
  prices: Settings;
  authority: string;
};

function settingsOf({ url, caddy, mailbox, ringFile, node, prices, authority }: Parts): Site['settings'] {
  const ring = { COUNTERFOIL_KEY_RING_FILE: ringFile, COUNTERFOIL_LOG_LEVEL: 'warn' };
  const pages = { COUNTERFOIL_CHECKOUT_URL: caddy.checkoutUrl, COUNTERFOIL_DASHBOARD_URL: caddy.dashboardUrl };
  const serving = { COUNTERFOIL_TRUSTED_PROXIES: `${LOOPBACK}/32`, COUNTERFOIL_DRAIN_SECONDS: DRAIN_SECONDS };
  const mail = {
    COUNTERFOIL_MAIL_URL: mailbox.url,
    COUNTERFOIL_MAIL_FROM: 'Counterfoil <no-reply@counterfoil.example>',
    NODE_EXTRA_CA_CERTS: authority,
  };
  const callbacks = { COUNTERFOIL_PRIVATE_CALLBACKS: 'allow' };
  return {
    owner: { ...ring, COUNTERFOIL_DATABASE_URL: ownerUrl(url) },
    admin: { ...ring, ...pages, COUNTERFOIL_DATABASE_URL: roleUrl(url, 'admin') },
    api: { ...ring, ...pages, ...serving, ...callbacks },
    dashboard: { ...ring, ...pages, ...serving },
    worker: {
      ...ring,
      ...pages,
      ...mail,
      ...callbacks,
      ...prices,
      COUNTERFOIL_POLL_MS: POLL_MS,
      [`COUNTERFOIL_RPC_${NETWORK}`]: node,
    },
  };
}

export async function openSite(url: string, database: Database, closers: Closers): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-upgrade-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const chainId = findNetwork(NETWORK)?.chainId ?? 0;
  const closing = async <T>(starting: Promise<T>, close: (started: T) => unknown): Promise<T> => {
    const started = await starting;
    closers.push(() => close(started));
    return started;
  };
  const [anvil, prices, certificate, receiver] = await Promise.all([
    closing(startLiveChain({ chainId, slotsInAnEpoch: SLOTS_IN_AN_EPOCH }), (one) => one.stop()),
    closing(startPriceServers(systemClock), (one) => one.close()),
    closing(makeMailCertificate(), (one) => one.remove()),
    closing(
      startReceiver(() => systemClock.nowMs()),
      (one) => one.close(),
    ),
  ]);
  const mailbox = await closing(startSmtpReceiver({ certificate }), (one) => one.stop());
  const ports = { 'api-1': await freePort(), 'api-2': await freePort(), dashboard: await freePort() };
  const api = `${LOOPBACK}:${ports['api-1']} ${LOOPBACK}:${ports['api-2']}`;
  const caddy = await closing(startCaddy({ api, dashboard: `${LOOPBACK}:${ports.dashboard}` }), (one) => one.stop());
  const token = canonicalToken(chainId, TOKEN).address;
  const parts = {
    url,
    caddy,
    mailbox,
    ringFile: join(folder, 'key-ring.json'),
    // One node under two names, which are two providers.
    node: `${anvil.url},${anvil.url.replace(LOOPBACK, 'localhost')}`,
    prices: priceSettings(prices),
    authority: certificate.path,
  };
  return {
    url,
    database,
    caddy,
    receiver,
    mailbox,
    ports,
    settings: settingsOf(parts),
    pay: (to, units) => payToken(anvil, { token, to: to as Address, units }),
  };
}
