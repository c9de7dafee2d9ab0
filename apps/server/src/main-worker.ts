import { hostname } from 'node:os';
import { createAlertLoops, createHeartbeatLoops } from './alert-loops.ts';
import { inOperatorWords, wordRefusal } from './commands/refusal-words.ts';
import { readWorkerConfig } from './config/read-worker-config.ts';
import { requireStateFolder } from './confirmations/mark-file.ts';
import { awaitDatabase } from './db/await-database.ts';
import { requireAgreeingClock } from './db/clock-skew.ts';
import { closeDatabase, openDatabase } from './db/database.ts';
import { requireCurrentSchema } from './db/migrate.ts';
import { requireOwnSession } from './db/require-own-session.ts';
import { requireRole } from './db/require-role.ts';
import { createExportHandler } from './exports/create-export-handler.ts';
import { PAGE_ROWS } from './exports/make-export.ts';
import { observeAlarms } from './http/alarm-metrics.ts';
import { observeAudit } from './http/audit-metrics.ts';
import { buildOperationsServer } from './http/build-operations-server.ts';
import { observeConfirmation } from './http/confirmation-metrics.ts';
import { observeChains } from './http/chain-metrics.ts';
import { countCreatedInvoices, countEndedInvoices } from './http/invoice-metrics.ts';
import { observeJobs } from './http/job-metrics.ts';
import { observeKeyRing } from './http/key-ring-metrics.ts';
import { observeLoops } from './http/loop-metrics.ts';
import { createMetrics } from './http/metrics.ts';
import { observePrices } from './http/price-metrics.ts';
import { observeWebhooks } from './http/webhook-metrics.ts';
import { openJobs } from './jobs/open-jobs.ts';
import { createAddressRanges } from './lib/address-ranges.ts';
import { createCorrectedClock, createPacedClock, steadyClock, systemClock } from './lib/clock.ts';
import { createFailpoint } from './lib/failpoint.ts';
import { startLog } from './lib/log.ts';
import { createLoopTimes } from './lib/loop-times.ts';
import { runLoop, sleep } from './lib/loop.ts';
import { createOutbound } from './lib/outbound-http.ts';
import { isPublicAddress } from './lib/public-address.ts';
import { ALPHANUMERIC, randomText } from './lib/random.ts';
import { runEvery } from './lib/run-every.ts';
import { createDnsResolver } from './lib/resolver.ts';
import { exitWith, stopOnSignal } from './lib/shutdown.ts';
import { createWatchdog, keepWatch } from './lib/watchdog.ts';
import { GATHERERS } from './mail-gatherers.ts';
import { createMailHandler } from './mail/create-mail-handler.ts';
import { createTransport } from './mail/create-transport.ts';
import { confirmMailSetup } from './mail/confirm-mail-setup.ts';
import { createNetworks } from './networks/networks.ts';
import { createPriceSources } from './prices/create-price-sources.ts';
import { pauseSource } from './prices/pause-source.ts';
import { createRateSources } from './rates/create-rate-sources.ts';
import { holdKeyRing, REPORT_EVERY_MS } from './secrets/hold-key-ring.ts';
import { readKeyRing } from './secrets/key-ring.ts';
import { createStatementSources } from './platforms/create-statement-sources.ts';
import type { Pause } from './platforms/exchange/request-gate.ts';
import { createRequestGate } from './platforms/exchange/request-gate.ts';
import { savePause } from './wallets/exchange-account-sql.ts';
import { createSecretsOf } from './stores/webhook-secret-cache.ts';
import { createEndpointSecretsOf } from './webhooks/endpoint-secret-cache.ts';
import { dispatchDeliveries } from './webhooks/dispatch-deliveries.ts';
import type { WorkerLoop, WorkerParts } from './worker-loop.ts';
import { createJobLoops, createMailSetupLoop, createMethodLoop, createNoticeLoop } from './member-loops.ts';
import {
  createAuditLoop,
  createExchangeReaders,
  createKeyCheckLoop,
  createLoops,
  createReader,
  createSandboxReader,
} from './worker-loops.ts';

/** Process of a worker, which does all background work. Any number may run. */

const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;
/** Random part of a key ring holder's name: process ids are reused after a restart. */
const PROCESS_TAG_LENGTH = 6;
/** Distinguishes a hang from every other exit in a supervisor's log. */
const STUCK_EXIT_CODE = 70;

const config = readWorkerConfig();
const log = startLog('worker', config.logLevel);
const database = openDatabase(
  {
    url: config.databaseUrl,
    connections: config.databaseConnections,
    waitMs: config.databaseWaitMs,
    name: 'counterfoil-worker',
    settingsOnRole: !config.anyDatabaseRole,
  },
  (cause) => log.error({ err: cause }, 'idle database connection failed'),
);
await requireStateFolder(config.stateFolder);
await inOperatorWords(async () => {
  await awaitDatabase(database.pool, log);
  await requireOwnSession(database.pool);
  if (!config.anyDatabaseRole) await requireRole(database.pool, 'worker');
  await requireCurrentSchema(database.pool);
});
const jobs = await inOperatorWords(() => openJobs(database, log));
const corrected = createCorrectedClock(systemClock);
await requireAgreeingClock(database.pool, systemClock, corrected);
const clock = createPacedClock(corrected, config.clockPace);

const networks = createNetworks();
const stop = new AbortController();
const watchdog = createWatchdog({
  clock: steadyClock,
  maxSilenceMs: config.watchdogSeconds * 1_000,
  onSilence: (loop, silentMs) => {
    log.fatal({ loop, silentMs, exitCode: STUCK_EXIT_CODE }, 'a loop hangs, so the process ends to be restarted');
    exitWith(log, STUCK_EXIT_CODE);
  },
});
keepWatch(watchdog);
const { keyRingFile } = config;
const ring =
  keyRingFile === undefined
    ? undefined
    : holdKeyRing({
        database,
        log,
        clock: steadyClock,
        read: () => readKeyRing(keyRingFile),
        holder: {
          id: `${hostname()}:${process.pid}:${randomText(ALPHANUMERIC, PROCESS_TAG_LENGTH)}`,
          kind: 'worker',
          host: hostname(),
          pid: process.pid,
        },
      });
const readiness = {
  shuttingDown: false,
  stuck: () => watchdog.silent(),
  notes: () => [ring?.fault(), jobs.fault()].filter((fault) => fault !== undefined).map(wordRefusal),
};
const registry = createMetrics(database.pool);
const operations = buildOperationsServer({ database, log, registry, readiness });
const failpoint = createFailpoint(config.failpoint);
const parts: WorkerParts = {
  database,
  networks,
  clock,
  corrected,
  log,
  failpoint,
  stateFolder: config.stateFolder,
  owner: `${hostname()}:${process.pid}`,
  priceSources: createPriceSources(config.priceUrls, clock).map((source) => pauseSource(source, clock)),
  rateSources: createRateSources(config.rateUrls, clock).map((source) => pauseSource(source, clock)),
  webhookRetentionDays: config.webhookRetentionDays,
  pollMs: config.pollMs,
  pace: config.clockPace?.rate ?? 1,
};
const tellPause = ({ baseUrl, account, untilMs }: Pause) => {
  if (account !== undefined) return;
  const until = new Date(untilMs);
  log.warn({ baseUrl, until }, 'a platform asked for a pause');
  savePause(database.queries, baseUrl, until, 'the platform asked for it').catch((cause: unknown) =>
    log.error({ err: cause }, 'a pause could not be saved'),
  );
};
const gate = createRequestGate({ clock, onPause: tellPause });
const statements = createStatementSources(networks, { clock, gate });
const chainReaders = config.chains.map((chain) => createReader(parts, chain));
const exchangeReaders = ring ? createExchangeReaders(parts, { ring, statements, gate }) : [];
const readers = [...chainReaders, ...exchangeReaders];
const sandbox = createSandboxReader(parts);
observeChains(registry, { database, clock, networks }, readers);
observeWebhooks(registry, database, clock);
observeAudit(registry, database);
observeAlarms(registry, database);
observeConfirmation(registry, database);
observePrices(registry, database, clock);
observeJobs(registry, database);
countCreatedInvoices(registry);
countEndedInvoices(
  registry,
  readers.map(({ source }) => source.network.id),
);
const loopTimes = createLoopTimes(steadyClock);
observeLoops(registry, loopTimes);
const closers: (() => Promise<void>)[] = [];
const run = (loop: WorkerLoop) => runLoop({ ...loopTimes.time(loop), log, signal: stop.signal, watchdog });
const { mailServer } = config;
if (!mailServer) log.warn('no mail server: this worker sends no emails');
const sending = mailServer && {
  server: mailServer,
  transport: createTransport(mailServer),
  gatherers: GATHERERS,
};
const handlers = {
  'send-mail': createMailHandler({ database, clock }, sending),
  'make-export': createExportHandler({
    database,
    clock,
    networks,
    failpoint,
    steady: steadyClock,
    rest: (ms) => sleep(ms, stop.signal),
    signal: stop.signal,
    pageRows: PAGE_ROWS,
  }),
};
const jobLoops = createJobLoops(parts, { jobs, handlers, signal: stop.signal });
closers.push(async () => {
  sending?.transport.close();
  await jobs.close();
});
if (mailServer) await confirmMailSetup({ database, clock });
const mailLoops = mailServer ? [createMailSetupLoop(parts)] : [];
const tellingLoops = [createMethodLoop(parts, jobs), createNoticeLoop(parts, jobs), ...mailLoops];
const alerting = createAlertLoops(parts, config.alerts, sending);
const heartbeat = createHeartbeatLoops(parts, config.heartbeatUrl, () => watchdog.silent());
closers.push(alerting.close, heartbeat.close);
const ownLoops = [...createLoops(parts, chainReaders), ...sandbox.loops];
const running = [...ownLoops, ...jobLoops, ...tellingLoops, ...alerting.loops, ...heartbeat.loops].map(run);
if (ring) {
  observeKeyRing(registry, ring);
  // Without a readable key ring a worker still follows chains, settles and expires; only signing webhooks, reading
  // exchange accounts and chaining audit entries wait.
  const complain = (cause: unknown) => log.error({ err: cause }, 'key ring could not be reported');
  await ring.report().catch(complain);
  const reports = runEvery(REPORT_EVERY_MS, log, () => ring.report());
  process.on('SIGHUP', () => void ring.reload().catch(complain));
  closers.push(async () => {
    reports.stop();
    await ring.leave().catch(complain);
  });
  const auditLoop = createAuditLoop(parts, ring);
  // Audit entries wait while the key ring is unusable.
  const body = async () => ring.fault() === undefined && (await auditLoop.body());
  // After the key ring was read: before, no exchange key could be opened.
  const exchangeLoops = exchangeReaders.flatMap(({ loops }) => loops);
  const keyChecks = createKeyCheckLoop(parts, { ring, statements, gate });
  running.push(...[{ ...auditLoop, body }, ...exchangeLoops, keyChecks].map(run));
  const isRefused = createAddressRanges(config.refusedCallbackRanges);
  const outbound = createOutbound({
    clock: systemClock,
    allowPrivate: config.privateCallbacks,
    isAllowed: (address) => isPublicAddress(address) && !isRefused(address),
    // The system resolver has few threads: slow name servers would delay all other names.
    ...(!config.privateCallbacks && { resolver: createDnsResolver({ timeoutMs: DNS_TIMEOUT_MS, tries: DNS_TRIES }) }),
  });
  const context = {
    pool: database.pool,
    log,
    signal: stop.signal,
    watched: watchdog.enlist('deliveries'),
    clock,
    outbound,
    secretsOf: createSecretsOf(database, clock, ring),
    endpointSecretsOf: createEndpointSecretsOf(database, clock, ring),
    canSign: () => ring.isUsable(),
    failpoint,
    random: Math.random,
  };
  running.push(dispatchDeliveries(context));
  closers.push(() => outbound.close());
} else {
  log.warn('no key ring: this worker sends no webhooks, follows no exchange accounts and chains no audit entries');
}

stopOnSignal(log, async () => {
  readiness.shuttingDown = true;
  stop.abort();
  await Promise.all(running);
  await Promise.all([...readers, sandbox].map((reader) => reader.finish()));
  await Promise.all(closers.map((close) => close()));
  await operations.close();
  await closeDatabase(database);
});

const operationsAddress = await operations.listen({ host: config.operationsHost, port: config.operationsPort });
log.info({ operationsAddress, networks: config.chains.map(({ network }) => network.id) }, 'working');
process.send?.({ operationsAddress });
