import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import { buildOperationsServer } from '../../src/http/build-operations-server.ts';
import { observeChains } from '../../src/http/chain-metrics.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { observeWebhooks } from '../../src/http/webhook-metrics.ts';
import { compareGrowth } from '../../rig/growth/compare-growth.ts';
import { findWholeScans } from '../../rig/growth/judge-plans.ts';
import type { RecordedStatement } from '../../rig/growth/recorded-plans.ts';
import { seedPast, thinPast, vacuum } from '../../rig/growth/seed-past.ts';
import { settleIn, workThrough } from '../../rig/growth/work-through.ts';
import type { WorkerRig } from '../../rig/growth/worker-rig.ts';
import { openWorkerRig } from '../../rig/growth/worker-rig.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';

/**
 * Compares the pages that every statement of the worker touches with three million past invoices and with a thousand.
 */

const quick = process.argv.includes('--quick');
const MANY = quick ? 100_000 : 3_000_000;
const FEW = 1_000;
/** Rounds of work, limited by the number of blocks that the rig's node can hold. */
const ROUNDS = 2;
const SCRAPES = 5;
const MOST_GROWTH = 1.15;
const SHOWN = 12;

async function inTime<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  console.log(`${what}: ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  return result;
}

async function workRounds(rig: WorkerRig): Promise<RecordedStatement[]> {
  for (let round = 0; round < ROUNDS; round += 1) await workThrough(rig);
  return rig.take();
}

/** Slowest of several scrapes over HTTP, the first of which finds nothing cached. */
async function timeMetrics(rig: WorkerRig): Promise<number> {
  const registry = createMetrics(rig.own.pool);
  observeChains(registry, { database: rig.own, clock: rig.clock, networks: NETWORKS }, rig.readers);
  observeWebhooks(registry, rig.own, rig.clock);
  const log = pino({ level: 'silent' });
  const readiness = { shuttingDown: false };
  const server: FastifyInstance = buildOperationsServer({ database: rig.own, log, registry, readiness });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  let slowestMs = 0;
  for (let scrape = 0; scrape < SCRAPES; scrape += 1) {
    const startedAt = performance.now();
    const response = await fetch(`${address}/metrics`);
    if (response.status !== 200) throw new Error(`/metrics answered ${response.status}: ${await response.text()}`);
    await response.text();
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
  }
  await server.close();
  return slowestMs;
}

async function measure(rig: WorkerRig): Promise<void> {
  await inTime(`${MANY} past invoices written`, () => seedPast(rig.admin, MANY, rig.addresses));
  await settleIn(rig);
  await vacuum(rig.admin);
  rig.take();
  const many = await inTime('worked through', () => workRounds(rig));
  const metricsMs = await timeMetrics(rig);
  console.log(`/metrics: ${metricsMs.toFixed(0)} ms at the slowest`);
  await inTime(`thinned out to ${FEW}`, () => thinPast(rig.admin, MANY, FEW));
  const few = await inTime('worked through', () => workRounds(rig));
  const { compared, incomparable } = compareGrowth(few, many);
  for (const [label, { few: least, many: most, growth }] of compared.slice(0, SHOWN))
    console.log(`${growth.toFixed(3)}  ${least.toFixed(1)} -> ${most.toFixed(1)} pages  ${label}`);
  const scans = findWholeScans(many);
  const worst = compared[0]?.[1].growth ?? Number.NaN;
  if (scans.length > 0 || worst > MOST_GROWTH) process.exitCode = 1;
  const statements = Object.fromEntries(
    compared.map(([label, growth]) => [
      label,
      Object.fromEntries(Object.entries(growth).map(([key, value]) => [key, Number(value.toFixed(3))])),
    ]),
  );
  const figures = { worst_growth: Number(worst.toFixed(3)), whole_scans: scans, metrics_ms: Math.round(metricsMs) };
  console.log(JSON.stringify({ ...figures, past: MANY, compared: compared.length, incomparable, statements }));
}

await withDrillDatabase(async ({ url }) => {
  const rig = await openWorkerRig(url);
  try {
    await measure(rig);
  } finally {
    await rig.close();
  }
});
