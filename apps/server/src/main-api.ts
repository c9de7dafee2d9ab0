import { MINUTE_MS } from '@counterfoil/core/duration.ts';
import { INSPECTIONS_PER_MINUTE, limitInspector } from './checkout/inspection-budget.ts';
import { readPageAssets } from './checkout/page-assets.ts';
import { VIEWER_LIMITS } from './checkout/viewers.ts';
import { inOperatorWords } from './commands/refusal-words.ts';
import { readApiConfig } from './config/read-api-config.ts';
import { awaitDatabase } from './db/await-database.ts';
import { measureOffsetMs, requireAgreeingClock } from './db/clock-skew.ts';
import { closeDatabase, openDatabase } from './db/database.ts';
import { requireCurrentSchema } from './db/migrate.ts';
import { requireOwnSession } from './db/require-own-session.ts';
import { requireRole } from './db/require-role.ts';
import { buildServer } from './http/build-server.ts';
import { buildOperationsServer } from './http/build-operations-server.ts';
import { countCreatedInvoices } from './http/invoice-metrics.ts';
import { createMetrics } from './http/metrics.ts';
import { createPruneChangeFeed } from './invoices/prune-change-feed.ts';
import { createCorrectedClock, createPacedClock, systemClock } from './lib/clock.ts';
import { startLog } from './lib/log.ts';
import { runEvery } from './lib/run-every.ts';
import { stopOnSignal } from './lib/shutdown.ts';
import { createNetworks } from './networks/networks.ts';
import { createAdmit } from './api/admit-request.ts';
import { createKeyUses, KEY_USES_EVERY_MS } from './stores/count-key-uses.ts';
import { createForgetAdmissions } from './stores/forget-admissions.ts';
import { createForgetKeyDays } from './stores/forget-key-days.ts';
import { createInspector } from './sources/create-inspector.ts';

/** Process of the merchant API and the checkout page. */

const config = readApiConfig();
const log = startLog('api', config.logLevel);
const database = openDatabase(
  {
    url: config.databaseUrl,
    connections: config.databaseConnections,
    waitMs: config.databaseWaitMs,
    name: 'counterfoil-api',
    settingsOnRole: !config.anyDatabaseRole,
  },
  (cause) => log.error({ err: cause }, 'database connection failed'),
);
await inOperatorWords(async () => {
  await awaitDatabase(database.pool, log);
  await requireOwnSession(database.pool);
  if (!config.anyDatabaseRole) await requireRole(database.pool, 'api');
  await requireCurrentSchema(database.pool);
});
const corrected = createCorrectedClock(systemClock);
await requireAgreeingClock(database.pool, systemClock, corrected);
const clock = createPacedClock(corrected, config.clockPace);

const readiness = { shuttingDown: false };
const registry = createMetrics(database.pool);
countCreatedInvoices(registry);
const keyUses = createKeyUses(database.pool, clock);
const app = await buildServer({
  database,
  networks: createNetworks(),
  clock,
  log,
  registry,
  readiness,
  admit: createAdmit(database.pool, keyUses.count),
  checkoutUrl: config.checkoutUrl,
  privateCallbacks: config.privateCallbacks,
  trustedProxies: config.trustedProxies,
  httpsOnly: config.production,
  reference: !config.production,
  assets: readPageAssets(),
  viewers: { total: config.checkoutViewers, ...VIEWER_LIMITS },
  inspect: new Map(
    config.inspected.map(({ network, urls, shared }) => {
      const perMinute = INSPECTIONS_PER_MINUTE[shared ? 'shared' : 'own'];
      return [network.id, limitInspector(createInspector(network, urls), perMinute, clock)];
    }),
  ),
});
const operations = buildOperationsServer({ database, log, registry, readiness });

const trimChanges = createPruneChangeFeed(database);
// Jobs are independent: one that fails or takes long delays no other.
const minutely = [
  async () => corrected.correct(await measureOffsetMs(database.pool, systemClock)),
  createForgetAdmissions(database.pool),
  createForgetKeyDays(database.pool, clock),
  trimChanges,
].map((work) => runEvery(MINUTE_MS, log, work));
const written = runEvery(KEY_USES_EVERY_MS, log, keyUses.write);

stopOnSignal(
  log,
  async () => {
    for (const one of [...minutely, written]) one.stop();
    await Promise.all([app.close(), operations.close()]);
    await keyUses.write().catch((cause: unknown) => log.error({ err: cause }, 'uses of API keys were not written'));
    await closeDatabase(database);
  },
  {
    announce: () => {
      readiness.shuttingDown = true;
    },
    ms: config.drainMs,
  },
);

const address = await app.listen({ host: config.host, port: config.port });
const operationsAddress = await operations.listen({ host: config.operationsHost, port: config.operationsPort });
log.info({ address, operationsAddress }, 'listening');
// Reports the listening addresses to a parent process with an IPC channel, such as a supervisor or test.
process.send?.({ address, operationsAddress });
