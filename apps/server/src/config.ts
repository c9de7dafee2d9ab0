import { z } from 'zod';
import type { ClockPace } from './lib/clock.ts';
import type { FollowedChain, InspectedChain, Variables } from './chain-config.ts';
import { findPlainNodes, readChains, readInspected, refuseGenesis, webAddress } from './chain-config.ts';
import { isPublicBase } from './lib/plain-url.ts';
import { mailEnvironment, readMailConfig } from './mail-config.ts';
import type { MailServer } from './mail/mail-server.ts';

/** The only reader of the environment. Every key is documented in docs/configuration.md. */

export const VARIABLES: Variables = process.env;

// Numbers are not read by z.coerce, which would read an empty setting as zero.
const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum));
export const portNumber = wholeNumber(0, 65_535);

const addressRanges = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .pipe(
    z.array(z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], 'must be a comma-separated list of CIDR ranges')),
  );

const MAX_USER_NAME = 100;

export const environment = z.object({
  COUNTERFOIL_DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// address'),
  COUNTERFOIL_DATABASE_CONNECTIONS: wholeNumber(1, 200).default(10),
  COUNTERFOIL_ANY_DATABASE_ROLE: z.enum(['refuse', 'allow']).default('refuse'),
  COUNTERFOIL_ENVIRONMENT: z.enum(['development', 'production']).default('production'),
  COUNTERFOIL_HOST: z.string().default('127.0.0.1'),
  COUNTERFOIL_PORT: portNumber.default(3000),
  COUNTERFOIL_OPERATIONS_HOST: z.string().default('127.0.0.1'),
  COUNTERFOIL_OPERATIONS_PORT: portNumber.default(3001),
  COUNTERFOIL_CHECKOUT_URL: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
  COUNTERFOIL_TRUSTED_PROXIES: addressRanges,
  COUNTERFOIL_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  COUNTERFOIL_KEY_RING_FILE: z.string().optional(),
  COUNTERFOIL_EGRESS_ADDRESSES: addressRanges,
  COUNTERFOIL_SHARDS: z
    .string()
    .regex(/^[A-Z0-9]{1,36}$/, 'must be letters A to Z and digits, without separators')
    .refine((text) => new Set(text).size === text.length, 'names a shard twice')
    .optional(),
  SUDO_USER: z.string().max(MAX_USER_NAME).optional(),
  COUNTERFOIL_PRIVATE_CALLBACKS: z.enum(['refuse', 'allow']).default('refuse'),
  COUNTERFOIL_CHECKOUT_VIEWERS: wholeNumber(1, 100_000).default(10_000),
  COUNTERFOIL_CLOCK_PACE: z
    .string()
    .regex(/^\d{1,4}@\d{13}$/, 'must be a rate and a moment, for example 30@1794700000000')
    .transform((text) => {
      const [rate, fromMs] = text.split('@').map(Number);
      return { rate: rate ?? 1, fromMs: fromMs ?? 0 };
    })
    .optional(),
});

export const CALLBACKS_FAULT = 'COUNTERFOIL_PRIVATE_CALLBACKS: is for development only';
export const ROLE_FAULT = 'COUNTERFOIL_ANY_DATABASE_ROLE: is for development only';
const CHECKOUT_FAULT = 'COUNTERFOIL_CHECKOUT_URL: must be an https address without a user, a query or a fragment';
export const PACE_FAULT = 'COUNTERFOIL_CLOCK_PACE: is for tests and demonstrations only';

export type Config = {
  databaseUrl: string;
  databaseConnections: number;
  /** Whether a process may connect as any database role; for development only. */
  anyDatabaseRole: boolean;
  production: boolean;
  host: string;
  port: number;
  /** Host on which health and metrics are served: anybody who reaches it may read them. */
  operationsHost: string;
  operationsPort: number;
  checkoutUrl: string;
  trustedProxies: string[];
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  keyRingFile: string | undefined;
  /** Networks whose nodes are asked when a payer says that the invoice is paid. */
  inspected: InspectedChain[];
  /** The most streams of the checkout page that one process serves. */
  checkoutViewers: number;
  /** The rate of a clock that runs faster than real time, for tests and demonstrations. */
  clockPace: ClockPace | undefined;
  /** Whether webhooks may go to private addresses; for development only. */
  privateCallbacks: boolean;
};

/** Settings of the command line, which serves nothing and therefore listens on no address. */
type OperatorConfig = Pick<Config, 'databaseUrl' | 'anyDatabaseRole' | 'keyRingFile' | 'privateCallbacks'> & {
  chains: FollowedChain[];
  /** Shards that merchants opened by this command line may get; all shards when undefined. */
  shards: string | undefined;
  /** IP addresses that our requests to exchange platforms come from, for the allow-lists of keys. */
  egressAddresses: string[];
  /** The user who ran the command through sudo. */
  sudoUser: string | undefined;
  /** The address of the dashboard; undefined when it is not configured. */
  dashboardUrl: string | undefined;
  /** The server that mails are sent by; undefined when none is configured. */
  mailServer: MailServer | undefined;
};

export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(['The configuration is not valid:', ...faults.map((fault) => `  ${fault}`)].join('\n'));
    this.name = 'ConfigError';
  }
}

export function parseOrExplain<T>(schema: z.ZodType<T>, variables: Variables): T {
  const parsed = schema.safeParse(variables);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
}

/** Reads all settings and names every fault at once, so that an operator can correct all of them together. */
export function readConfig(variables: Variables = VARIABLES): Config {
  const values = parseOrExplain(environment, variables);
  const production = values.COUNTERFOIL_ENVIRONMENT === 'production';
  const { inspected, faults } = readInspected(variables);
  if (production) faults.push(...findPlainNodes(inspected));
  if (production && !isPublicBase(values.COUNTERFOIL_CHECKOUT_URL)) faults.push(CHECKOUT_FAULT);
  const privateCallbacks = values.COUNTERFOIL_PRIVATE_CALLBACKS === 'allow';
  faults.push(...refuseGenesis(variables, production));
  if (production && values.COUNTERFOIL_CLOCK_PACE) faults.push(PACE_FAULT);
  if (production && privateCallbacks) faults.push(CALLBACKS_FAULT);
  const anyDatabaseRole = values.COUNTERFOIL_ANY_DATABASE_ROLE === 'allow';
  if (production && anyDatabaseRole) faults.push(ROLE_FAULT);
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    databaseUrl: values.COUNTERFOIL_DATABASE_URL,
    databaseConnections: values.COUNTERFOIL_DATABASE_CONNECTIONS,
    anyDatabaseRole,
    production,
    host: values.COUNTERFOIL_HOST,
    port: values.COUNTERFOIL_PORT,
    operationsHost: values.COUNTERFOIL_OPERATIONS_HOST,
    operationsPort: values.COUNTERFOIL_OPERATIONS_PORT,
    checkoutUrl: values.COUNTERFOIL_CHECKOUT_URL,
    trustedProxies: values.COUNTERFOIL_TRUSTED_PROXIES,
    logLevel: values.COUNTERFOIL_LOG_LEVEL,
    keyRingFile: values.COUNTERFOIL_KEY_RING_FILE,
    inspected,
    checkoutViewers: values.COUNTERFOIL_CHECKOUT_VIEWERS,
    clockPace: values.COUNTERFOIL_CLOCK_PACE,
    privateCallbacks,
  };
}

export function readOperatorConfig(variables: Variables = VARIABLES): OperatorConfig {
  const picked = environment.pick({
    COUNTERFOIL_DATABASE_URL: true,
    COUNTERFOIL_ANY_DATABASE_ROLE: true,
    COUNTERFOIL_ENVIRONMENT: true,
    COUNTERFOIL_KEY_RING_FILE: true,
    COUNTERFOIL_SHARDS: true,
    COUNTERFOIL_PRIVATE_CALLBACKS: true,
    COUNTERFOIL_EGRESS_ADDRESSES: true,
    SUDO_USER: true,
  });
  const values = parseOrExplain(picked.extend(mailEnvironment), variables);
  const { chains, faults } = readChains(variables);
  const production = values.COUNTERFOIL_ENVIRONMENT === 'production';
  faults.push(...refuseGenesis(variables, production));
  if (production) faults.push(...findPlainNodes(chains));
  const anyDatabaseRole = values.COUNTERFOIL_ANY_DATABASE_ROLE === 'allow';
  if (production && anyDatabaseRole) faults.push(ROLE_FAULT);
  const privateCallbacks = values.COUNTERFOIL_PRIVATE_CALLBACKS === 'allow';
  if (production && privateCallbacks) faults.push(CALLBACKS_FAULT);
  const { mailServer, mailFaults } = readMailConfig(values, production);
  faults.push(...mailFaults);
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    databaseUrl: values.COUNTERFOIL_DATABASE_URL,
    anyDatabaseRole,
    dashboardUrl: values.COUNTERFOIL_DASHBOARD_URL,
    mailServer,
    keyRingFile: values.COUNTERFOIL_KEY_RING_FILE,
    chains,
    shards: values.COUNTERFOIL_SHARDS,
    privateCallbacks,
    egressAddresses: values.COUNTERFOIL_EGRESS_ADDRESSES,
    sudoUser: values.SUDO_USER,
  };
}

/**
 * Shortest retention of webhook data: longer than a delivery can be under way, which is twelve attempts, each postponed
 * by two days at most.
 */
const LEAST_RETENTION_DAYS = 30;

/**
 * How many seconds a loop may show no sign of life before the process ends. Everything that a loop waits for times out
 * well before.
 */
const WATCHDOG_SECONDS = 60;

const workerEnvironment = environment
  .pick({
    COUNTERFOIL_DATABASE_URL: true,
    COUNTERFOIL_DATABASE_CONNECTIONS: true,
    COUNTERFOIL_ANY_DATABASE_ROLE: true,
    COUNTERFOIL_ENVIRONMENT: true,
    COUNTERFOIL_OPERATIONS_HOST: true,
    COUNTERFOIL_LOG_LEVEL: true,
    COUNTERFOIL_CLOCK_PACE: true,
    COUNTERFOIL_KEY_RING_FILE: true,
    COUNTERFOIL_PRIVATE_CALLBACKS: true,
  })
  .extend({
    ...mailEnvironment,
    COUNTERFOIL_WORKER_OPERATIONS_PORT: portNumber.default(3002),
    COUNTERFOIL_POLL_MS: wholeNumber(50, 60_000).optional(),
    COUNTERFOIL_PRICE_BINANCE_URL: webAddress.default('https://api.binance.com'),
    COUNTERFOIL_PRICE_KRAKEN_URL: webAddress.default('https://api.kraken.com'),
    COUNTERFOIL_PRICE_COINBASE_URL: webAddress.default('https://api.exchange.coinbase.com'),
    COUNTERFOIL_FAILPOINT: z.string().optional(),
    COUNTERFOIL_WATCHDOG_SECONDS: wholeNumber(1, WATCHDOG_SECONDS).optional(),
    COUNTERFOIL_REFUSED_CALLBACK_RANGES: addressRanges,
    COUNTERFOIL_WEBHOOK_RETENTION_DAYS: wholeNumber(LEAST_RETENTION_DAYS, 3_650).default(90),
  });

type WorkerConfig = Pick<
  Config,
  | 'databaseUrl'
  | 'databaseConnections'
  | 'anyDatabaseRole'
  | 'logLevel'
  | 'operationsHost'
  | 'operationsPort'
  | 'clockPace'
  | 'keyRingFile'
  | 'privateCallbacks'
> & {
  chains: FollowedChain[];
  /** Pause between polls for all networks; undefined if each network uses its own. */
  pollMs: number | undefined;
  priceUrls: { binance: string; kraken: string; coinbase: string };
  failpoint: string | undefined;
  /** How long a loop may show no sign of life. */
  watchdogSeconds: number;
  /** Address ranges that webhooks never go to, besides all that are not public. */
  refusedCallbackRanges: string[];
  /** How long bodies of events and attempts are kept. */
  webhookRetentionDays: number;
  /** The server that mails are sent by; undefined when none is configured. */
  mailServer: MailServer | undefined;
};

export function readWorkerConfig(variables: Variables = VARIABLES): WorkerConfig {
  const values = parseOrExplain(workerEnvironment, variables);
  const { chains, faults } = readChains(variables);
  faults.push(...refuseGenesis(variables, values.COUNTERFOIL_ENVIRONMENT === 'production'));
  if (values.COUNTERFOIL_ENVIRONMENT === 'production') {
    faults.push(...findPlainNodes(chains));
    if (values.COUNTERFOIL_FAILPOINT) faults.push('COUNTERFOIL_FAILPOINT: is for drills only');
    if (values.COUNTERFOIL_WATCHDOG_SECONDS !== undefined)
      faults.push('COUNTERFOIL_WATCHDOG_SECONDS: is for tests only');
    if (values.COUNTERFOIL_CLOCK_PACE) faults.push(PACE_FAULT);
    if (!values.COUNTERFOIL_KEY_RING_FILE) faults.push('COUNTERFOIL_KEY_RING_FILE: is needed to sign webhooks');
    if (values.COUNTERFOIL_PRIVATE_CALLBACKS === 'allow') faults.push(CALLBACKS_FAULT);
    if (values.COUNTERFOIL_ANY_DATABASE_ROLE === 'allow') faults.push(ROLE_FAULT);
  }
  const { mailServer, mailFaults } = readMailConfig(values, values.COUNTERFOIL_ENVIRONMENT === 'production');
  faults.push(...mailFaults);
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    databaseUrl: values.COUNTERFOIL_DATABASE_URL,
    databaseConnections: values.COUNTERFOIL_DATABASE_CONNECTIONS,
    anyDatabaseRole: values.COUNTERFOIL_ANY_DATABASE_ROLE === 'allow',
    operationsHost: values.COUNTERFOIL_OPERATIONS_HOST,
    operationsPort: values.COUNTERFOIL_WORKER_OPERATIONS_PORT,
    logLevel: values.COUNTERFOIL_LOG_LEVEL,
    chains,
    pollMs: values.COUNTERFOIL_POLL_MS,
    priceUrls: {
      binance: values.COUNTERFOIL_PRICE_BINANCE_URL,
      kraken: values.COUNTERFOIL_PRICE_KRAKEN_URL,
      coinbase: values.COUNTERFOIL_PRICE_COINBASE_URL,
    },
    failpoint: values.COUNTERFOIL_FAILPOINT,
    watchdogSeconds: values.COUNTERFOIL_WATCHDOG_SECONDS ?? WATCHDOG_SECONDS,
    clockPace: values.COUNTERFOIL_CLOCK_PACE,
    keyRingFile: values.COUNTERFOIL_KEY_RING_FILE,
    privateCallbacks: values.COUNTERFOIL_PRIVATE_CALLBACKS === 'allow',
    refusedCallbackRanges: values.COUNTERFOIL_REFUSED_CALLBACK_RANGES,
    webhookRetentionDays: values.COUNTERFOIL_WEBHOOK_RETENTION_DAYS,
    mailServer,
  };
}
