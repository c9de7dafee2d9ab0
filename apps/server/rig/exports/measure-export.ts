import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { steadyClock, systemClock } from '../../src/lib/clock.ts';
import type { DrillDatabase } from '../database/drill-database.ts';
import { NO_PRICES } from '../fakes/price-servers.ts';
import { createMakeInvoice } from '../invoices/make-invoice.ts';
import type { WorkerProcess } from '../processes/server-process.ts';
import { startWorker } from '../processes/server-process.ts';
import { percentile } from '../report/percentile.ts';
import { admitStore } from '../stores/admit-store.ts';
import { openStore } from '../stores/open-store.ts';
import type { Exporter } from './open-exporter.ts';
import { openExporter } from './open-exporter.ts';
import { seedTrade } from './seed-trade.ts';

/** One large export by a real worker: how fast it is, how much memory it takes, and what other merchants feel of it. */

export type ExportFigures = {
  export_rows: number;
  export_seconds: number;
  export_rows_per_s: number;
  export_megabytes: number;
  /** The most memory of the worker during the export. */
  export_rss_mb: number;
  /** How much that is above the most during an export of a tenth of its rows. */
  export_rss_growth_mb: number;
  create_p99_before_ms: number;
  create_p99_meanwhile_ms: number;
};

const POLL_MS = 50;
const KIB_PER_MIB = 1_024;
const BYTES_PER_MB = 1_000_000;
const CREATES_PER_SECOND = 40;
const BEFORE_SECONDS = 5;
/** How many times smaller the first export is. */
const SMALLER = 10;
const MOST_POLLS = 12_000;

async function memoryOf({ child }: WorkerProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / KIB_PER_MIB;
}

type Made = { seconds: number; mostMib: number; bytes: number; rows: number };

/** Waits until an export is done, looking at the worker's memory all the time. */
async function awaitExport({ database }: DrillDatabase, worker: WorkerProcess, id: bigint): Promise<Made> {
  type Row = { state: string; rows: bigint | null; bytes: bigint | null };
  let startedMs: number | undefined;
  let mostMib = 0;
  for (let polls = 0; polls < MOST_POLLS; polls += 1) {
    const statement = 'select state, rows, bytes from exports where id = $1';
    const [row] = (await database.pool.query<Row>(statement, [id])).rows;
    mostMib = Math.max(mostMib, await memoryOf(worker));
    if (row?.state === 'running') startedMs ??= steadyClock.nowMs();
    if (row?.state === 'done') {
      const seconds = (steadyClock.nowMs() - (startedMs ?? steadyClock.nowMs())) / 1_000;
      return { seconds, mostMib, bytes: Number(row.bytes), rows: Number(row.rows) };
    }
    if (row?.state === 'failed') throw new Error(`The export failed: ${worker.output()}`);
    await wait(POLL_MS);
  }
  throw new Error(`The export does not end: ${worker.output()}`);
}

/** Creates invoices of another merchant at an even pace until stopped; returns their durations. */
async function createUntil({ as, database }: DrillDatabase, stop: AbortSignal): Promise<number[]> {
  const store = await openStore(database);
  const makeInvoice = createMakeInvoice(as('api'));
  const admitted = await admitStore(database, store);
  const tookMs: number[] = [];
  while (!stop.aborted) {
    const fromMs = steadyClock.nowMs();
    await makeInvoice(admitted, systemClock, { amount: '5', merchant_id: store.merchantId });
    tookMs.push(steadyClock.nowMs() - fromMs);
    await wait(Math.max(0, 1_000 / CREATES_PER_SECOND - (steadyClock.nowMs() - fromMs)));
  }
  return tookMs;
}

const tenth = (value: number) => Math.round(value * 10) / 10;

async function seed(drill: DrillDatabase, exporter: Exporter, count: number, first: number): Promise<void> {
  const client = new pg.Client({ connectionString: drill.url });
  await client.connect();
  await seedTrade(client, { storeId: exporter.store.id, count, first });
  await client.query('vacuum analyze');
  await client.end();
}

export async function measureExport(drill: DrillDatabase, rows: number): Promise<ExportFigures> {
  const small = await openExporter(drill.database, { name: 'small' });
  await seed(drill, small, rows / SMALLER, 1);
  const large = await openExporter(drill.database, { name: 'large' });
  await seed(drill, large, rows, rows / SMALLER + 1);
  const worker = await startWorker(drill.url, NO_PRICES);
  try {
    const first = await awaitExport(drill, worker, await small.ask('invoices'));
    const before = await createUntil(drill, AbortSignal.timeout(BEFORE_SECONDS * 1_000));
    const stop = new AbortController();
    const creating = createUntil(drill, stop.signal);
    const made = await awaitExport(drill, worker, await large.ask('invoices'));
    stop.abort();
    return {
      export_rows: made.rows,
      export_seconds: tenth(made.seconds),
      export_rows_per_s: Math.round(made.rows / made.seconds),
      export_megabytes: tenth(made.bytes / BYTES_PER_MB),
      export_rss_mb: tenth(made.mostMib),
      export_rss_growth_mb: tenth(made.mostMib - first.mostMib),
      create_p99_before_ms: tenth(percentile(before, 0.99)),
      create_p99_meanwhile_ms: tenth(percentile(await creating, 0.99)),
    };
  } finally {
    await worker.stop();
    await Promise.all([small.jobs.close(), large.jobs.close()]);
  }
}
