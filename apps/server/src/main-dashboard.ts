import { hostname } from 'node:os';
import { MINUTE_MS } from '@counterfoil/core/duration.ts';
import { inOperatorWords, wordRefusal } from './commands/refusal-words.ts';
import { readDashboardConfig } from './config/read-dashboard-config.ts';
import { awaitDatabase } from './db/await-database.ts';
import { measureOffsetMs, requireAgreeingClock } from './db/clock-skew.ts';
import { closeDatabase, openDatabase } from './db/database.ts';
import { requireCurrentSchema } from './db/migrate.ts';
import { reachOneDatabase, requireOneDatabase } from './db/require-one-database.ts';
import { requireOwnSession } from './db/require-own-session.ts';
import { requireRole } from './db/require-role.ts';
import { readAppFiles } from './http/app-files.ts';
import { buildDashboardServer } from './http/build-dashboard-server.ts';
import { buildOperationsServer } from './http/build-operations-server.ts';
import { countCreatedInvoices } from './http/invoice-metrics.ts';
import { createMetrics } from './http/metrics.ts';
import { observeKeyRing } from './http/key-ring-metrics.ts';
import { CHECK_JOBS_MS, checkJobs } from './jobs/check-jobs.ts';
import { openJobs } from './jobs/open-jobs.ts';
import { createCorrectedClock, createPacedClock, steadyClock, systemClock } from './lib/clock.ts';
import { startLog } from './lib/log.ts';
import { ALPHANUMERIC, randomText } from './lib/random.ts';
import { runEvery } from './lib/run-every.ts';
import { stopOnSignal } from './lib/shutdown.ts';
import { CONFIRM_MAIL_MS, confirmMailSetup } from './mail/confirm-mail-setup.ts';
import { forgetSessions } from './people/forget-sessions.ts';
import { createNetworks } from './networks/networks.ts';
import { holdKeyRing, REPORT_EVERY_MS } from './secrets/hold-key-ring.ts';
import { readKeyRing } from './secrets/key-ring.ts';
import { applyDueRestores } from './takeovers/apply-due-restores.ts';

/** Process of the dashboard's server. It has the key ring. */

/** Interval of checks that both connections lead to one database: a failover may move only one. */
const DATABASES_EVERY_MS = 5_000;
/** Random part of a key ring holder's name: process ids are reused after a restart. */
const PROCESS_TAG_LENGTH = 6;

/** The process's name in the audit. */
const ACTOR = { kind: 'worker', name: 'dashboard' } as const;

const config = readDashboardConfig();
const log = startLog('dashboard', config.logLevel);
const settingsOnRole = !config.anyDatabaseRole;
const { databaseConnections: connections, databaseWaitMs: waitMs } = config;
const onConnectionError = (cause: Error) => log.error({ err: cause }, 'database connection failed');
const database = openDatabase(
  { url: config.databaseUrl, connections, waitMs, name: 'counterfoil-dashboard', settingsOnRole },
  onConnectionError,
);
const views = openDatabase(
  { url: config.viewsDatabaseUrl, connections, waitMs, name: 'counterfoil-views', reports: true, settingsOnRole },
  onConnectionError,
);
await inOperatorWords(async () => {
  await awaitDatabase(database.pool, log);
  await requireOwnSession(database.pool);
  await requireOwnSession(views.pool);
  if (settingsOnRole) {
    await requireRole(database.pool, 'dashboard');
    await requireRole(views.pool, 'views');
  }
  await requireOneDatabase(database.pool, views.pool);
  await requireCurrentSchema(database.pool);
});
const jobs = await inOperatorWords(() => openJobs(database, log));
const corrected = createCorrectedClock(systemClock);
await requireAgreeingClock(database.pool, systemClock, corrected);
const clock = createPacedClock(corrected, config.clockPace);
const { mailServer } = config;
if (mailServer) await confirmMailSetup({ database, clock });
const ring = holdKeyRing({
  database,
  log,
  clock: steadyClock,
  read: () => readKeyRing(config.keyRingFile),
  holder: {
    id: `${hostname()}:${process.pid}:${randomText(ALPHANUMERIC, PROCESS_TAG_LENGTH)}`,
    kind: 'dashboard',
    host: hostname(),
    pid: process.pid,
  },
});
const complain = (cause: unknown) => log.error({ err: cause }, 'key ring could not be reported');
await ring.report().catch(complain);
process.on('SIGHUP', () => void ring.reload().catch(complain));

let isOneDatabase = true;
const readiness = {
  shuttingDown: false,
  faults: () => (isOneDatabase ? [] : ['views lead to another database']),
  notes: () => [ring.fault(), jobs.fault()].filter((fault) => fault !== undefined).map(wordRefusal),
};
const registry = createMetrics(database.pool);
observeKeyRing(registry, ring);
countCreatedInvoices(registry);
const appFiles = readAppFiles();
if (!appFiles.document) log.warn('the app is not built: only the API is served');
const app = await buildDashboardServer({
  context: {
    database,
    views,
    clock,
    ring,
    jobs,
    exportJobs: jobs,
    networks: createNetworks(),
    registration: config.registration,
    storePlan: config.storePlan,
    approval: config.approval,
    shards: config.shards,
    dashboardUrl: config.dashboardUrl,
    checkoutUrl: config.checkoutUrl,
    privateCallbacks: config.privateCallbacks,
  },
  log,
  registry,
  readiness,
  appFiles,
  trustedProxies: config.trustedProxies,
  httpsOnly: config.production,
});
const operations = buildOperationsServer({ database, log, registry, readiness });

const regular = [
  runEvery(CHECK_JOBS_MS, log, () => checkJobs({ database, clock, jobs }, 'dashboard')),
  runEvery(REPORT_EVERY_MS, log, () => ring.report()),
  runEvery(MINUTE_MS, log, async () => corrected.correct(await measureOffsetMs(database.pool, systemClock))),
  runEvery(MINUTE_MS, log, () => forgetSessions({ database, clock })),
  runEvery(MINUTE_MS, log, () => applyDueRestores({ database, clock, ring, jobs }, ACTOR)),
  ...(mailServer ? [runEvery(CONFIRM_MAIL_MS, log, () => confirmMailSetup({ database, clock }))] : []),
  runEvery(DATABASES_EVERY_MS, log, async () => {
    isOneDatabase = await reachOneDatabase(database.pool, views.pool);
  }),
];

stopOnSignal(
  log,
  async () => {
    for (const one of regular) one.stop();
    await Promise.all([app.close(), operations.close()]);
    await jobs.close();
    await ring.leave().catch(complain);
    await Promise.all([database, views].map(closeDatabase));
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
