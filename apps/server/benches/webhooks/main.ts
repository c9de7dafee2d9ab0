import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import type { Endpoint } from '../../rig/webhooks/write-events.ts';
import { openStores, spreadEndpoints, writeEvents } from '../../rig/webhooks/write-events.ts';
import { processorSeconds } from '../../rig/processes/process-usage.ts';
import { createFleet } from '../../rig/processes/worker-fleet.ts';
import type { Latency } from '../../rig/webhooks/measure-latency.ts';
import { measureLatency } from '../../rig/webhooks/measure-latency.ts';
import type { Receivers } from '../../rig/webhooks/receivers.ts';
import { deadUrl } from '../../rig/fakes/listen.ts';
import { startReceivers } from '../../rig/webhooks/receivers.ts';
import type { Database } from '../../src/db/database.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { writeKeyRing } from '../../src/secrets/key-ring.ts';
import type { WorkerProcess } from '../../rig/processes/server-process.ts';

/**
 * Measures one real worker: how fast it drains waiting deliveries, and how soon events reach a receiver at an even
 * pace.
 */

const quick = process.argv.includes('--quick');
const STORES = 20;
const ENDPOINTS = 200;
const HOSTS = 16;
const WARM_UP = 2_000;
const DRAINED = quick ? 3_000 : 30_000;
const PER_SECOND = 200;
const SECONDS = quick ? 5 : 20;
const WRITTEN_TOGETHER = 500;
const DRAIN_TIMEOUT_MS = 120_000;
const DRAIN_STEP_MS = 20;

type Bench = { database: Database; receivers: Receivers; endpoints: Endpoint[] };

async function prepare({ database, endpoints }: Bench, count: number): Promise<void> {
  for (let written = 0; written < count; written += WRITTEN_TOGETHER) {
    const wanted = Array.from({ length: Math.min(WRITTEN_TOGETHER, count - written) }, (_unused, index) => {
      const endpoint = endpoints[(written + index) % endpoints.length];
      if (!endpoint) throw new Error('There is no endpoint.');
      // Completed invoices also have their callback status saved.
      return { endpoint, ending: index % 2 === 0 ? ('completed' as const) : ('expired' as const) };
    });
    await writeEvents(database, systemClock, wanted, new Map());
  }
  await database.pool.query(`analyze deliveries`);
}

async function untilDrained({ database }: Bench): Promise<number> {
  const untilMs = systemClock.nowMs() + DRAIN_TIMEOUT_MS;
  while (systemClock.nowMs() < untilMs) {
    const { rowCount } = await database.pool.query(`select from deliveries where state = 'pending' limit 1`);
    if (rowCount === 0) return systemClock.nowMs();
    await wait(DRAIN_STEP_MS);
  }
  throw new Error('The deliveries do not drain.');
}

/** Deliveries per second with saved attempts, after the worker has warmed up. */
async function drain(bench: Bench, startWorker: () => Promise<WorkerProcess>): Promise<number> {
  await prepare(bench, WARM_UP + DRAINED);
  const worker = await startWorker();
  const drainedAtMs = await untilDrained(bench);
  const { receipts } = await bench.receivers.report();
  const times = receipts.map((one) => one.firstReceivedAtMs).toSorted((left, right) => left - right);
  if (times.length !== WARM_UP + DRAINED) throw new Error(`${times.length} deliveries arrived.`);
  const repeated = receipts.filter((one) => one.received > 1).length;
  const seconds = (drainedAtMs - (times[WARM_UP] ?? 0)) / 1000;
  console.log(`drained ${DRAINED} in ${seconds.toFixed(2)} s after ${WARM_UP} to warm up, ${repeated} sent twice`);
  console.log(
    `the worker used ${processorSeconds(worker.child.pid ?? 0).toFixed(2)} s of processor time since its start`,
  );
  return DRAINED / seconds;
}

function tell(name: string, latency: Latency): void {
  const { events, missing, p50Ms, p99Ms, worstMs } = latency;
  console.log(`${name}: ${events} events, ${missing} missing, p50 ${p50Ms} p99 ${p99Ms} worst ${worstMs} ms`);
  if (missing > 0) process.exitCode = 1;
}

async function measure(bench: Bench): Promise<{ p99_ms: number; p99_with_bad_ms: number }> {
  const { database, receivers, endpoints } = bench;
  const paced = { database, receivers, perSecond: PER_SECOND, seconds: SECONDS };
  await measureLatency({ ...paced, healthy: endpoints, bad: [], seconds: 1 });
  const alone = await measureLatency({ ...paced, healthy: endpoints, bad: [] });
  tell('all are well', alone);
  const [dead, hanging, ...healthy] = endpoints;
  if (!dead || !hanging) throw new Error('There are too few endpoints.');
  await receivers.setMoods({ [hanging.path]: 'hanging' });
  const bad = [{ ...dead, url: `${await deadUrl()}${dead.path}` }, hanging];
  const beside = await measureLatency({ ...paced, healthy, bad });
  tell('one is dead, one hangs', beside);
  return { p99_ms: alone.p99Ms, p99_with_bad_ms: beside.p99Ms };
}

const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'));
const receivers = await startReceivers(HOSTS);
try {
  const figures = await withDrillDatabase(async ({ url, database }) => {
    const stores = await openStores(database, STORES);
    const [first] = stores;
    if (!first) throw new Error('There is no store.');
    const keyRingFile = join(folder, 'key-ring.json');
    await writeKeyRing(keyRingFile, first.ring);
    const fleet = createFleet(url, {
      COUNTERFOIL_KEY_RING_FILE: keyRingFile,
      COUNTERFOIL_PRIVATE_CALLBACKS: 'allow',
      COUNTERFOIL_DATABASE_CONNECTIONS: '10',
    });
    const bench = { database, receivers, endpoints: spreadEndpoints(stores, receivers.urls, ENDPOINTS) };
    try {
      const perSecond = await drain(bench, () => fleet.start());
      return { per_s: Math.round(perSecond), ...(await measure(bench)) };
    } finally {
      await fleet.stop();
      for (const [text, times] of fleet.complaints()) console.log(`the worker logged ${times} times: ${text}`);
    }
  });
  console.log(JSON.stringify(figures));
} finally {
  await receivers.stop();
  rmSync(folder, { recursive: true });
}
