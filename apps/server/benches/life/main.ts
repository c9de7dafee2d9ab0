import { cpus, loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { DrillDatabase } from '../../rig/database/drill-database.ts';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import { holdsInTime, waitUntil } from '../../rig/processes/wait-until.ts';
import type { Closers } from '../../rig/site/site-processes.ts';
import { closeAll } from '../../rig/site/site-processes.ts';
import type { Grown, Log, Measured, ProcessorTime, Sizes } from './measures.ts';
import {
  compareSizes,
  findPostmaster,
  keptBytes,
  productSeconds,
  randomIndexBytes,
  readLog,
  readMemory,
  readProcessorTime,
  readSizes,
  subtractTimes,
} from './measures.ts';
import { median } from '../../rig/report/percentile.ts';
import { steadyClock } from '../../src/lib/clock.ts';
import type { LifeSite } from './site.ts';
import { openLifeSite } from './site.ts';

/**
 * Measures whole lives of invoices: created by the API, selected at the checkout, paid by a real token transfer on a
 * real EVM node, found by the worker, completed, and delivered by a webhook whose signature is checked. The cost of a
 * life is the processor time of API, worker and PostgreSQL, the bytes of the write-ahead log, and the bytes that stay
 * in tables and indexes.
 */

const quick = process.argv.includes('--quick');
const STORES = quick ? 10 : 100;
const MOST_IN_FLIGHT = 2_000;
/** As on BNB Smart Chain. */
const BLOCK_MS = 450;
/** Lives before those that are measured; a quick run has only the time before its window to warm up. */
const WARM_UP_MS = quick ? 0 : 20_000;
/** Time from the first life to the window, in which the first lives are still on their way. */
const RAMP_MS = quick ? 4_000 : 10_000;
const WINDOW_MS = quick ? 3_000 : 120_000;
const PACED_MS = quick ? 1_000 : 30_000;
const IDLE_LOOKS = quick ? 2 : 10;
/** Long enough that every loop which an idle worker runs once a second has run. */
const IDLE_STEP_MS = 1_000;
/** Lives that are alone after a checkpoint each. */
const LONE_LIVES = quick ? 1 : 5;
/** A life that is not over so long after the last one began is lost. */
const LIFE_BOUND_MS = 30_000;
const DRAIN_STEP_MS = 20;
const SETTLE_MS = quick ? 500 : 1_500;
const SHOWN_RELATIONS = 30;

type Bench = LifeSite & { drill: DrillDatabase; measured: Measured };

/** Shows how far lives came that did not end. */
async function tellUntold({ book, drill }: Bench): Promise<void> {
  const { rows } = await drill.database.pool.query<{
    status: string;
    paid: boolean;
    delivery: string;
    count: number;
    some: string;
  }>(
    `select i.status, t.id is not null as paid, coalesce(d.state, 'none') as delivery, count(*)::integer, min(i.trans_id) as some
     from invoices i left join transfers t on t.invoice_id = i.id
     left join events e on e.invoice_id = i.id left join deliveries d on d.event_row_id = e.id
     where i.trans_id = any($1) group by 1, 2, 3`,
    [book.untold()],
  );
  for (const row of rows) console.log(`not ended: ${JSON.stringify(row)}`);
}

async function drain(bench: Bench): Promise<void> {
  const { book, requireSound } = bench;
  const pause = async () => {
    requireSound();
    await wait(DRAIN_STEP_MS);
  };
  const ended = await holdsInTime(() => book.inFlight() === 0, { timeoutMs: LIFE_BOUND_MS, pause });
  if (ended) return;
  await tellUntold(bench);
  throw new Error(`${book.inFlight()} lives did not end in ${LIFE_BOUND_MS} ms.`);
}

async function live(bench: Bench, forMs: number, perSecond?: number): Promise<void> {
  await bench.buyers.shop({ forMs, ...(perSecond !== undefined && { perSecond }) });
  await drain(bench);
}

type Window = { lives: number; used: ProcessorTime };

/** Runs at full speed, and measures from the time when lives end as fast as they begin. */
async function measureWindow(bench: Bench): Promise<Window> {
  const { buyers, book, measured } = bench;
  const shopping = buyers.shop({ forMs: RAMP_MS + WINDOW_MS });
  await wait(RAMP_MS);
  const before = { told: book.counts().told, used: readProcessorTime(measured) };
  book.takeDelays();
  await shopping;
  return { lives: book.counts().told - before.told, used: subtractTimes(readProcessorTime(measured), before.used) };
}

function tellWindow({ lives, used }: Window): void {
  const seconds = used.elapsed;
  const perLife = (value: number) => `${((value * 1000) / lives).toFixed(2)} ms`;
  const { api, worker, postgres, anvil, driver, machine } = used;
  const others = machine - productSeconds(used) - anvil - driver;
  console.log(`${lives} lives ended in ${seconds.toFixed(1)} s: ${(lives / seconds).toFixed(1)}/s`);
  console.log(
    `processor time per life: API ${perLife(api)}, worker ${perLife(worker)}, PostgreSQL ${perLife(postgres)}`,
  );
  console.log(
    `beside the product: anvil ${perLife(anvil)}, driver ${perLife(driver)}, everything else ${perLife(others)}`,
  );
  const cores = Object.entries({ api, worker, postgres, anvil, driver, others });
  console.log(`cores in use: ${cores.map(([name, value]) => `${name} ${(value / seconds).toFixed(2)}`).join(', ')}`);
}

function tellSizes(grown: readonly Grown[], lives: number): void {
  for (const { name, isIndex, bytes } of grown.slice(0, SHOWN_RELATIONS)) {
    console.log(`  ${isIndex ? 'index' : 'table'} ${name}: ${(bytes / lives).toFixed(0)} bytes per life`);
  }
}

/** Idle use of the processes. For the log it is the least of several reads, because a vacuum may run during some. */
async function measureIdle({ drill, measured }: Bench): Promise<{ cores: number; walPerSecond: number }> {
  const { pool } = drill.database;
  const before = readProcessorTime(measured);
  const rates: number[] = [];
  let last = { bytes: (await readLog(pool)).bytes, atMs: steadyClock.nowMs() };
  for (let look = 0; look < IDLE_LOOKS; look += 1) {
    await wait(IDLE_STEP_MS);
    const now = { bytes: (await readLog(pool)).bytes, atMs: steadyClock.nowMs() };
    rates.push(((now.bytes - last.bytes) / (now.atMs - last.atMs)) * 1000);
    last = now;
  }
  const used = subtractTimes(readProcessorTime(measured), before);
  return { cores: productSeconds(used) / used.elapsed, walPerSecond: Math.min(...rates) };
}

/**
 * Bytes of the log for a life that is alone between two checkpoints: every page that it touches is written whole, while
 * busy lives share those pages.
 */
async function measureLoneLives(bench: Bench, idlePerSecond: number): Promise<number> {
  const { pool } = bench.drill.database;
  const found: number[] = [];
  for (let count = 0; count < LONE_LIVES; count += 1) {
    await pool.query('checkpoint');
    // The worker's own loops write their pages whole first.
    await wait(SETTLE_MS);
    const before = { bytes: (await readLog(pool)).bytes, atMs: steadyClock.nowMs() };
    bench.buyers.beginLife();
    await drain(bench);
    const seconds = (steadyClock.nowMs() - before.atMs) / 1000;
    found.push((await readLog(pool)).bytes - before.bytes - seconds * idlePerSecond);
  }
  // The middle one, because now and then a vacuum falls into the time of a life.
  return median(found);
}

/** Every life must have one completed invoice, one payment, one event and one delivery. */
async function requireAllCompleted({ drill, book }: Bench): Promise<number> {
  const { pool } = drill.database;
  const { begun, told, repeated } = book.counts();
  const isSaved = async () =>
    (await pool.query(`select from deliveries where state = 'pending' limit 1`)).rowCount === 0;
  // The worker saves a delivery a moment after the shop has answered.
  await waitUntil(isSaved, { what: 'Deliveries stay pending.', timeoutMs: LIFE_BOUND_MS, pollMs: DRAIN_STEP_MS });
  const { rows } = await pool.query<{ name: string; count: number }>(`select name, count::integer from (
    select 'invoices' as name, count(*) from invoices
    union all select 'completed', count(*) from invoices where status = 'completed'
    union all select 'payments', count(*) from transfers where invoice_id is not null
    union all select 'events', count(*) from events
    union all select 'delivered', count(*) from deliveries where state = 'delivered') c`);
  const counted = rows.map(({ name, count }) => `${name} ${count}`).join(', ');
  console.log(`begun ${begun}, told ${told}, told again ${repeated}, ${counted}`);
  if (told !== begun || rows.some(({ count }) => count !== begun)) throw new Error('Lives were lost, or ended twice.');
  return begun;
}

type Storage = { log: Log; sizes: Sizes; begun: number };

/** The state of the storage before a run: all pages are on the disk, and nothing waits to be vacuumed. */
async function readStorage({ drill, book }: Bench): Promise<Storage> {
  const { pool } = drill.database;
  const sizes = await readSizes(pool);
  await pool.query('checkpoint');
  return { sizes, log: await readLog(pool), begun: book.counts().begun };
}

/** What a life has written since, to the log and to tables. */
async function measureStorage({ drill, book }: Bench, before: Storage): Promise<Record<string, number>> {
  const { pool } = drill.database;
  const log = await readLog(pool);
  const lives = book.counts().begun - before.begun;
  const grown = compareSizes(await readSizes(pool), before.sizes);
  tellSizes(grown, lives);
  const pages = ((log.fullPages - before.log.fullPages) / lives).toFixed(2);
  console.log(`a life writes ${pages} whole pages to the log, with one checkpoint before ${lives} lives`);
  return {
    wal_bytes_per_life: (log.bytes - before.log.bytes) / lives,
    table_bytes_per_life: grown.reduce((sum, { bytes }) => sum + bytes, 0) / lives,
    kept_bytes_per_life: (await keptBytes(pool, grown, lives)) / lives,
    random_index_bytes_per_life: randomIndexBytes(grown) / lives,
  };
}

async function measure(bench: Bench): Promise<Record<string, number>> {
  const { book, measured } = bench;
  await live(bench, WARM_UP_MS);
  const before = await readStorage(bench);
  const { lives, used } = await measureWindow(bench);
  await drain(bench);
  const full = book.takeDelays();
  tellWindow({ lives, used });
  const memory = readMemory(measured);
  const storage = await measureStorage(bench, before);
  await live(bench, PACED_MS, lives / used.elapsed / 2);
  const half = book.takeDelays();
  console.log(`mined to webhook at full speed: p50 ${full.p50Ms} p99 ${full.p99Ms} ms`);
  console.log(`mined to webhook at half of it: p50 ${half.p50Ms} p99 ${half.p99Ms} ms`);
  const idle = await measureIdle(bench);
  const loneLife = await measureLoneLives(bench, idle.walPerSecond);
  return {
    lives_per_s: lives / used.elapsed,
    core_seconds_per_life: productSeconds(used) / lives,
    api_core_seconds_per_life: used.api / lives,
    worker_core_seconds_per_life: used.worker / lives,
    postgres_core_seconds_per_life: used.postgres / lives,
    rig_core_seconds_per_life: (used.anvil + used.driver) / lives,
    ...storage,
    wal_bytes_lone_life: loneLife,
    idle_cores: idle.cores,
    idle_wal_bytes_per_s: idle.walPerSecond,
    api_memory_bytes: memory.api,
    worker_memory_bytes: memory.worker,
    postgres_memory_bytes: memory.postgres,
    told_p50_ms: half.p50Ms,
    told_p99_ms: half.p99Ms,
    told_full_speed_p99_ms: full.p99Ms,
    lives: await requireAllCompleted(bench),
  };
}

const [processor] = cpus();
console.log(`${cpus().length} cores of ${processor?.model}, load before: ${loadavg()[0]?.toFixed(2)}`);
const figures = await withDrillDatabase(async (drill) => {
  const closers: Closers = [];
  try {
    const site = await openLifeSite(
      drill,
      { stores: STORES, mostInFlight: MOST_IN_FLIGHT, blockMs: BLOCK_MS },
      closers,
    );
    const postmaster = await findPostmaster(drill.database.pool);
    return await measure({ ...site, drill, measured: { ...site, postmaster } });
  } finally {
    await closeAll(closers);
  }
});
const rounded = Object.entries(figures).map(([key, value]) => [key, Number(value.toFixed(value < 100 ? 5 : 0))]);
console.log(JSON.stringify(Object.fromEntries(rounded)));
