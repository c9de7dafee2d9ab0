import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Database } from '../../src/db/database.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openKeyRing, writeKeyRing } from '../../src/secrets/key-ring.ts';
import { openSecret } from '../../src/secrets/open-secret.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { WorkerProcess } from '../../rig/processes/server-process.ts';
import { roleUrl } from '../../rig/database/role-database.ts';
import { createFleet } from '../../rig/processes/worker-fleet.ts';
import type { DrillDatabase } from '../../rig/database/drill-database.ts';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import type { Rings, Rotation } from './rotations.ts';
import { copyRing, overlap, rotate } from './rotations.ts';
import type { TrafficFigures } from './traffic.ts';
import { SECRETS_PER_STORE, startTraffic } from './traffic.ts';
import { countPending, openStores, secretsOf, spreadEndpoints, writeEvents } from '../../rig/webhooks/write-events.ts';
import type { Receivers } from '../../rig/webhooks/receivers.ts';
import { startReceivers } from '../../rig/webhooks/receivers.ts';

/**
 * Drills rotations of the key ring while webhooks are sent. Two workers have separate ring files; the second worker
 * gets the new key later, while new secrets are made every second; then three rotations run at once. At the end a new
 * worker sends to every store, and every secret is opened.
 */

type Sizes = {
  /** Webhooks written per second. */
  perSecond: number;
  calmMs: number;
  lagMs: number;
  /**
   * Time after the rotations; in a full run longer than a minute, so that workers read the secrets that they had cached
   * again.
   */
  afterMs: number;
  /**
   * Whether workers get a signal to read their ring file when the second worker's file gets the new key; without a
   * signal, workers notice the change at their next report of the keys that they hold.
   */
  signal: boolean;
};

/** Sizes of a quick run; the low pace leaves a slow machine room to start the commands beside the traffic. */
const QUICK: Sizes = { perSecond: 100, calmMs: 200, lagMs: 2_000, afterMs: 500, signal: true };
const FULL: Sizes = { perSecond: 200, calmMs: 5_000, lagMs: 10_000, afterMs: 65_000, signal: false };

const STORES = 10;
const HOSTS = 8;
const AT_ONCE = 3;
const SETTLE_MS = 60_000;
const SETTLE_STEP_MS = 100;
const MAX_FAULTS_SHOWN = 20;
const UNSIGNED = /secrets could not be read yet|delivery could not be handled|cannot open every secret/g;

type Tell = (fault: string) => void;
type Stage = { drill: DrillDatabase; receivers: Receivers; stores: TestStore[]; rings: Rings; tell: Tell };

async function settle(database: Database, tell: Tell): Promise<void> {
  const untilMs = systemClock.nowMs() + SETTLE_MS;
  while ((await countPending(database)) > 0) {
    if (systemClock.nowMs() > untilMs) return tell('deliveries are still pending');
    await wait(SETTLE_STEP_MS);
  }
}

/** Attempts that were not answered with 200, and every attempt of a delivery after its first. */
async function countFailedAttempts(database: Database): Promise<number> {
  const { rows } = await database.pool.query<{ failed: bigint }>(
    `select (select count(*) from attempts where status is distinct from 200)
       + (select coalesce(sum(attempts - 1), 0)::bigint from deliveries where attempts > 1) as failed`,
  );
  return Number(rows[0]?.failed ?? 0);
}

async function countUnreceived(database: Database, receivers: Receivers): Promise<{ events: number; lost: number }> {
  const { receipts } = await receivers.report();
  const received = new Set(receipts.filter(({ succeeded }) => succeeded > 0).map(({ eventId }) => eventId));
  const { rows } = await database.pool.query<{ id: string }>('select event_id as id from events');
  return { events: rows.length, lost: rows.filter(({ id }) => !received.has(id)).length };
}

/** Secrets that the ring at `path` does not open. */
async function countLostSecrets(database: Database, path: string): Promise<number> {
  const ring = await openKeyRing(path);
  const { rows } = await database.pool.query<{ id: bigint; purpose: string }>('select id, purpose from secrets');
  const opened = await Promise.allSettled(
    rows.map(({ id, purpose }) => openSecret(database.queries, ring, id, purpose)),
  );
  return opened.filter(({ status }) => status === 'rejected').length;
}

/** A promise for each of `count` callers that resolves when all have asked for it. */
function createBarrier(count: number): () => Promise<void> {
  const open = Promise.withResolvers<void>();
  let waiting = 0;
  return () => {
    waiting += 1;
    if (waiting === count) open.resolve();
    return open.promise;
  };
}

async function runRotations({ drill, receivers, stores, rings, tell }: Stage, sizes: Sizes) {
  const ringFile = rings.first;
  const { perSecond } = sizes;
  const traffic = startTraffic({ database: drill.database, receivers, stores, ringFile, perSecond, tell });
  const rotations: Rotation[] = [];
  try {
    await wait(sizes.calmMs);
    rotations.push(
      await rotate(rings, { lagMs: sizes.lagMs, signal: sizes.signal, untilBehind: traffic.untilCreated }),
    );
    const quick = { lagMs: 0, signal: true, untilAdded: createBarrier(AT_ONCE) };
    rotations.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => rotate(rings, quick)))));
    await wait(sizes.afterMs);
  } catch (cause) {
    tell(cause instanceof Error ? cause.message : String(cause));
  }
  return { rotations, traffic: await traffic.stop() };
}

/** Checks that the drill did what it promised: otherwise the absence of failures would prove nothing. */
function judgePromise(rotations: readonly Rotation[], traffic: TrafficFigures, sizes: Sizes, tell: Tell): void {
  if (traffic.events === 0) tell('no webhook was written');
  const [late, ...atOnce] = rotations;
  if (rotations.length !== 1 + AT_ONCE || !late) return tell(`only ${rotations.length} rotations came to their end`);
  if (late.copiedAtMs - late.addedAtMs < sizes.lagMs) tell('the second file was copied too early');
  if (late.refusals === 0) tell('reseal was never refused while the second file was behind');
  if (!overlap(atOnce)) tell('the three rotations did not overlap');
}

/** Sends to every store from a new worker, which has no secrets cached. */
async function sendAfresh(
  { drill, receivers, tell }: Stage,
  start: () => Promise<WorkerProcess>,
  stores: readonly TestStore[],
) {
  await start();
  const endpoints = spreadEndpoints(stores, receivers.urls, stores.length);
  const wanted = endpoints.map((endpoint) => ({ endpoint, ending: 'expired' as const }));
  await writeEvents(drill.database, systemClock, wanted, new Map());
  await settle(drill.database, tell);
}

async function runDrill(drill: DrillDatabase, folder: string, sizes: Sizes, tell: Tell) {
  const { database, url } = drill;
  const [first, second] = [join(folder, 'first.json'), join(folder, 'second.json')];
  const stores = await openStores(database, STORES);
  const [{ ring }] = stores as [TestStore];
  await writeKeyRing(first, ring);
  await copyFile(first, second);
  const receivers = await startReceivers(HOSTS);
  const settings = { COUNTERFOIL_PRIVATE_CALLBACKS: 'allow', COUNTERFOIL_LOG_LEVEL: 'warn' };
  const fleets = [first, second].map((file) => createFleet(url, { ...settings, COUNTERFOIL_KEY_RING_FILE: file }));
  const fresh = createFleet(url, { ...settings, COUNTERFOIL_KEY_RING_FILE: second });
  try {
    await receivers.expect('clock', secretsOf(stores));
    const workers = await Promise.all(fleets.map((fleet) => fleet.start()));
    const rings: Rings = { databaseUrl: roleUrl(url, 'admin'), first, second, workers, tell };
    const stage = { drill, receivers, stores, rings, tell };
    const { rotations, traffic } = await runRotations(stage, sizes);
    await settle(database, tell);
    await Promise.all(fleets.map((fleet) => fleet.stop()));
    judgePromise(rotations, traffic, sizes, tell);
    await copyRing(rings);
    await sendAfresh(stage, () => fresh.start(), traffic.stores);
    const unsigned = workers.flatMap((worker) => worker.output().match(UNSIGNED) ?? []);
    for (const line of new Set(unsigned)) console.log(`  a worker logged: ${line}`);
    const { faults } = await receivers.report();
    const { events, lost } = await countUnreceived(database, receivers);
    const lostSecrets = await countLostSecrets(database, second);
    const [late] = rotations;
    return {
      webhooks: events,
      failed: (await countFailedAttempts(database)) + faults.signatures + unsigned.length,
      lost: lost + lostSecrets,
      rotations: rotations.length,
      secrets_created: traffic.created * SECRETS_PER_STORE,
      per_second: Math.round(traffic.events / traffic.seconds),
      second_file_after_s: late ? Number(((late.copiedAtMs - late.addedAtMs) / 1000).toFixed(1)) : null,
      refusals: rotations.reduce((sum, { refusals }) => sum + refusals, 0),
    };
  } finally {
    await Promise.all([...fleets, fresh].map((fleet) => fleet.stop()));
    await receivers.stop();
  }
}

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const faults: string[] = [];
const folder = await mkdtemp(join(tmpdir(), 'counterfoil-keyring-'));
try {
  const figures = await withDrillDatabase((drill) =>
    runDrill(drill, folder, values.quick ? QUICK : FULL, (fault) => faults.push(fault)),
  );
  for (const fault of faults.slice(0, MAX_FAULTS_SHOWN)) console.log(`FAULT ${fault}`);
  if (faults.length > 0 || figures.failed > 0 || figures.lost > 0) process.exitCode = 1;
  console.log(JSON.stringify(figures));
} finally {
  await rm(folder, { recursive: true });
}
