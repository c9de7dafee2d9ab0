import { hostname } from 'node:os';
import type { FollowedChain } from './config.ts';
import { readWorkerConfig } from './config.ts';
import { measureOffsetMs, requireAgreeingClock } from './db/clock-skew.ts';
import { closeDatabase, openDatabase } from './db/database.ts';
import { requireCurrentSchema } from './db/migrate.ts';
import { ensurePartitions } from './db/partition-store.ts';
import { buildOperationsServer } from './http/build-operations-server.ts';
import type { Followed } from './http/chain-metrics.ts';
import { observeChains } from './http/chain-metrics.ts';
import { createMetrics } from './http/metrics.ts';
import { observeWebhooks } from './http/webhook-metrics.ts';
import { createApplyTransfers } from './invoices/apply-transfers.ts';
import { decideThawedInvoices } from './invoices/decide-thawed-invoices.ts';
import { expireDueInvoices } from './invoices/expire-due-invoices.ts';
import { explainTransfers } from './invoices/explain-transfers.ts';
import { createFindEnds } from './invoices/expiry-store.ts';
import { reconcileEvents } from './invoices/reconcile-events.ts';
import { createReopenUnpaid } from './invoices/reopen-unpaid-invoices.ts';
import { createCorrectedClock, createPacedClock, systemClock } from './lib/clock.ts';
import { createFailpoint } from './lib/failpoint.ts';
import { createLog } from './lib/log.ts';
import { runLoop } from './lib/loop.ts';
import { createOutbound } from './lib/outbound-http.ts';
import { createDnsResolver } from './lib/resolver.ts';
import { stopOnSignal } from './lib/shutdown.ts';
import { readsAccounts } from './networks/network.ts';
import { pauseSource } from './prices/pause-source.ts';
import { refreshPrices } from './prices/refresh-prices.ts';
import { createBinanceSource } from './prices/sources/binance.ts';
import { createCoinbaseSource } from './prices/sources/coinbase.ts';
import { createKrakenSource } from './prices/sources/kraken.ts';
import { readKeyRing } from './secrets/key-ring.ts';
import { registerKeyRing } from './secrets/register-key-ring.ts';
import { createSecretsOf } from './stores/webhook-secrets.ts';
import { createAccountFollower } from './transfers/account-follower.ts';
import { finishReading, followAccounts } from './transfers/follow-accounts.ts';
import { followHead, followTiers } from './transfers/follow-chain.ts';
import { createFollower } from './transfers/follower.ts';
import { createAccountSource, createSource } from './transfers/sources/create-source.ts';
import { dispatchDeliveries } from './webhooks/dispatch-deliveries.ts';
import { eraseWebhooks } from './webhooks/erase-webhooks.ts';
import { probeEndpoints } from './webhooks/probe-endpoints.ts';

/** The worker: follows chains, settles and expires invoices, refreshes prices. Run as many as you like. */

const EXPIRY_IDLE_MS = 250;
/** Without a new head this asks nobody and nothing. */
const PROVE_IDLE_MS = 100;
const EXPLAIN_IDLE_MS = 250;
const THAW_IDLE_MS = 1_000;
const PRICES_MS = 5_000;
const RECONCILE_MS = 3_600_000;
const PROBE_MS = 20_000;
const RETENTION_MS = 600_000;
const HOUSEKEEPING_MS = 60_000;
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;
/** An account whose amounts only rest is read so many times less often than one with an open quote. */
const RESTING_POLLS = 30;

const config = readWorkerConfig();
const log = createLog(config.logLevel);
const database = openDatabase(
  { url: config.databaseUrl, connections: config.databaseConnections, name: 'counterfoil-worker' },
  (cause) => log.error({ err: cause }, 'idle database connection failed'),
);
await requireCurrentSchema(database.pool);
const corrected = createCorrectedClock(systemClock);
await requireAgreeingClock(database.pool, systemClock, corrected);
const clock = createPacedClock(corrected, config.clockPace);

const stop = new AbortController();
const readiness = { shuttingDown: false };
const registry = createMetrics(database.pool);
const operations = buildOperationsServer({ database, log, registry, readiness });
const failpoint = createFailpoint(config.failpoint);
const apply = createApplyTransfers(clock);
const findEnds = createFindEnds(database.queries);
const reopenUnpaid = createReopenUnpaid(database, clock);
const owner = `${hostname()}:${process.pid}`;

/** What follows a network; `step` is true when there may be more to do. */
type Reader = Followed & {
  step: () => Promise<boolean>;
  /** Proves what was read, where that is a loop of its own. */
  prove?: () => Promise<boolean>;
  finish: () => Promise<void>;
};

function createReader({ network, urls }: FollowedChain): Reader {
  const parts = { database, clock, log, apply, failpoint };
  if (readsAccounts(network)) {
    const openMs = config.pollMs ?? network.pollMs;
    const pollMs = { open: openMs, resting: openMs * RESTING_POLLS };
    const source = createAccountSource(network, urls);
    const accounts = createAccountFollower({ ...parts, source, findEnds, pollMs, headsMs: openMs });
    const step = async () => (await followAccounts(accounts)) === 'worked';
    return { ...accounts, step, finish: () => finishReading(accounts) };
  }
  const clockRate = config.clockPace?.rate ?? 1;
  const chain = createFollower({ ...parts, owner, source: createSource(network, urls), clockRate });
  return {
    ...chain,
    step: async () => (await followHead(chain)) === 'worked',
    prove: async () => (await followTiers(chain)) === 'worked',
    finish: async () => {},
  };
}

const readers = config.chains.map(createReader);
observeChains(registry, database, clock, readers);
observeWebhooks(registry, database, clock);
const sources = [
  createBinanceSource(config.priceUrls.binance, clock),
  createKrakenSource(config.priceUrls.kraken, clock),
  createCoinbaseSource(config.priceUrls.coinbase),
].map((source) => pauseSource(source, clock));

const loops = [
  ...readers.map((reader) => ({
    name: `follow ${reader.source.network.symbol}`,
    idleMs: config.pollMs ?? reader.source.network.pollMs,
    body: reader.step,
  })),
  ...readers.flatMap(({ source, prove }) =>
    prove ? [{ name: `prove ${source.network.symbol}`, idleMs: PROVE_IDLE_MS, body: prove }] : [],
  ),
  {
    name: 'explain',
    idleMs: EXPLAIN_IDLE_MS,
    body: async () => (await explainTransfers(database)) > 0,
  },
  {
    name: 'expire',
    idleMs: EXPIRY_IDLE_MS,
    body: async () => (await expireDueInvoices(database, clock, failpoint)) + (await reopenUnpaid()) > 0,
  },
  {
    name: 'thaw',
    idleMs: THAW_IDLE_MS,
    body: async () => (await decideThawedInvoices(database, clock, { failpoint })) > 0,
  },
  {
    name: 'prices',
    idleMs: PRICES_MS / (config.clockPace?.rate ?? 1),
    body: async () => {
      await refreshPrices({ database, clock, log, sources });
      return false;
    },
  },
  {
    name: 'reconcile',
    idleMs: RECONCILE_MS / (config.clockPace?.rate ?? 1),
    body: async () => {
      const { more, ...found } = await reconcileEvents(database, clock, `worker:${owner}`);
      if (found.events + found.deliveries + found.freed > 0) log.error(found, 'webhooks were missing or stuck');
      return more;
    },
  },
  {
    name: 'probe',
    idleMs: PROBE_MS / (config.clockPace?.rate ?? 1),
    body: async () => (await probeEndpoints(database, clock)).more,
  },
  {
    name: 'retention',
    idleMs: RETENTION_MS,
    body: async () => {
      const { more, ...erased } = await eraseWebhooks(database, clock, config.webhookRetentionDays);
      if (more) log.info(erased, 'old webhooks erased');
      return more;
    },
  },
  {
    name: 'housekeeping',
    idleMs: HOUSEKEEPING_MS,
    body: async () => {
      corrected.correct(await measureOffsetMs(database.pool, systemClock));
      await ensurePartitions(database.pool, new Date(clock.nowMs()));
      return false;
    },
  },
];
const closers: (() => Promise<void>)[] = [];
const running = loops.map((loop) => runLoop({ ...loop, log, signal: stop.signal }));
if (config.keyRingFile) {
  const ring = await readKeyRing(config.keyRingFile);
  await registerKeyRing(database.queries, ring);
  const secretsOf = createSecretsOf(database, clock, ring);
  const outbound = createOutbound({
    clock: systemClock,
    allowPrivate: config.privateCallbacks,
    // Not the system's resolver: its few threads would let names with slow servers delay everybody's.
    ...(!config.privateCallbacks && { resolver: createDnsResolver({ timeoutMs: DNS_TIMEOUT_MS, tries: DNS_TRIES }) }),
  });
  const context = {
    pool: database.pool,
    log,
    signal: stop.signal,
    clock,
    outbound,
    secretsOf,
    failpoint,
    random: Math.random,
  };
  running.push(dispatchDeliveries(context));
  closers.push(() => outbound.close());
} else {
  log.warn('no key ring: this worker sends no webhooks');
}

stopOnSignal(log, async () => {
  readiness.shuttingDown = true;
  stop.abort();
  await Promise.all(running);
  await Promise.all(readers.map((reader) => reader.finish()));
  await Promise.all(closers.map((close) => close()));
  await operations.close();
  await closeDatabase(database);
});

const operationsAddress = await operations.listen({ host: config.host, port: config.operationsPort });
log.info({ operationsAddress, networks: config.chains.map(({ network }) => network.symbol) }, 'working');
process.send?.({ operationsAddress });
