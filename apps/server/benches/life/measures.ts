import { readFileSync } from 'node:fs';
import type pg from 'pg';
import type { Anvil } from '../../rig/chains/evm/anvil.ts';
import {
  familyPrivateBytes,
  familySeconds,
  parentOf,
  processorSeconds,
  residentBytes,
} from '../../rig/processes/process-usage.ts';
import type { WorkerProcess } from '../../rig/processes/server-process.ts';
import { steadyClock } from '../../src/lib/clock.ts';

/** What lives cost: processor time by process, bytes of the write-ahead log, and bytes of tables and their indexes. */

export type ProcessorTime = {
  api: number;
  worker: number;
  postgres: number;
  anvil: number;
  driver: number;
  /** Everything on this machine, without idle time. */
  machine: number;
  elapsed: number;
};

export type Measured = { api: WorkerProcess; worker: WorkerProcess; anvil: Anvil; postmaster: number };

const MICROSECONDS = 1_000_000;
const TICKS_PER_SECOND = 100;
/** Positions of user, nice, system, interrupts, soft interrupts and stolen time in the first line of /proc/stat. */
const BUSY = [0, 1, 2, 5, 6, 7];

function machineSeconds(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const ticks = line.trim().split(/\s+/).slice(1).map(Number);
  return BUSY.reduce((sum, position) => sum + (ticks[position] ?? Number.NaN), 0) / TICKS_PER_SECOND;
}

/** Process id of the PostgreSQL server, which must run on this machine. */
export async function findPostmaster(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  try {
    return parentOf(rows[0]?.pid ?? Number.NaN);
  } catch (cause) {
    throw new Error('PostgreSQL must run on this machine: its processor time is measured.', { cause });
  }
}

const idOf = ({ child }: WorkerProcess) => child.pid ?? Number.NaN;

export function readProcessorTime({ api, worker, anvil, postmaster }: Measured): ProcessorTime {
  const { user, system } = process.cpuUsage();
  return {
    api: processorSeconds(idOf(api)),
    worker: processorSeconds(idOf(worker)),
    postgres: familySeconds(postmaster),
    anvil: processorSeconds(anvil.processId),
    driver: (user + system) / MICROSECONDS,
    machine: machineSeconds(),
    elapsed: steadyClock.nowMs() / 1000,
  };
}

export function subtractTimes(later: ProcessorTime, earlier: ProcessorTime): ProcessorTime {
  const keys = Object.keys(later) as (keyof ProcessorTime)[];
  return Object.fromEntries(keys.map((key) => [key, later[key] - earlier[key]])) as ProcessorTime;
}

/** Processor time of the product: the API, the worker and the database. */
export const productSeconds = ({ api, worker, postgres }: ProcessorTime) => api + worker + postgres;

/** Memory of the processes; that of PostgreSQL without its shared buffers. */
export function readMemory({ api, worker, postmaster }: Measured): { api: number; worker: number; postgres: number } {
  return {
    api: residentBytes(idOf(api)),
    worker: residentBytes(idOf(worker)),
    postgres: familyPrivateBytes(postmaster),
  };
}

export type Log = { bytes: number; fullPages: number };

/** The write-ahead log so far; the counter of full pages lags behind by what sessions have not reported yet. */
export async function readLog(pool: pg.Pool): Promise<Log> {
  const { rows } = await pool.query<{ bytes: string; pages: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as bytes, wal_fpi::text as pages from pg_stat_wal`,
  );
  return { bytes: Number(rows[0]?.bytes), fullPages: Number(rows[0]?.pages) };
}

/** Bytes by relation: tables with out-of-line storage, and each index separately, partitions added up. */
export type Sizes = Map<string, { table: string; isIndex: boolean; bytes: number }>;

/** Sizes of all relations after a vacuum, so that only rows that stay are counted, not what updates left behind. */
export async function readSizes(pool: pg.Pool): Promise<Sizes> {
  const tables = await pool.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  await pool.query(`vacuum ${tables.rows.map(({ name }) => name).join(', ')}`);
  const { rows } = await pool.query<{ name: string; table: string; isIndex: boolean; bytes: string }>(`
    with tables as (
      select c.oid, coalesce(pg_partition_root(c.oid)::regclass::text, c.relname) as name
      from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    ), relations as (
      select name, name as "table", false as "isIndex", pg_table_size(oid) as bytes from tables
      union all
      select coalesce(pg_partition_root(i.indexrelid)::regclass::text, i.indexrelid::regclass::text), name, true, pg_relation_size(i.indexrelid)
      from tables join pg_index i on i.indrelid = oid
    )
    select name, "table", "isIndex", sum(bytes)::text as bytes from relations group by 1, 2, 3`);
  return new Map(rows.map(({ name, table, isIndex, bytes }) => [name, { table, isIndex, bytes: Number(bytes) }]));
}

export type Grown = { name: string; table: string; isIndex: boolean; bytes: number };

/** Growth by relation, those that grew most first. */
export function compareSizes(later: Sizes, earlier: Sizes): Grown[] {
  return [...later]
    .map(([name, { table, isIndex, bytes }]) => {
      const grown = bytes - (earlier.get(name)?.bytes ?? 0);
      return { name, table, isIndex, bytes: grown };
    })
    .filter(({ bytes }) => bytes !== 0)
    .toSorted((left, right) => right.bytes - left.bytes);
}

/** Indexes whose keys come in no order, so that a new row may touch any of their pages. */
const RANDOM_KEYS = [
  'invoices_trans_id',
  'invoices_request_id',
  'quotes_by_amount',
  'amount_slots_pkey',
  'amount_slots_counted',
  'amount_slots_at_address',
  'transfers_network_tx_id_index_key',
  'transfers_by_sender',
  'transfers_by_account',
  'events_event_id_key',
];

export function randomIndexBytes(grown: readonly Grown[]): number {
  const bytes = new Map(grown.map((one) => [one.name, one.bytes]));
  return RANDOM_KEYS.reduce((sum, name) => {
    const own = bytes.get(name);
    if (own === undefined) throw new Error(`The index ${name} did not grow.`);
    return sum + own;
  }, 0);
}

/** Tables whose rows are deleted after minutes, or as webhooks' retention says. */
const PASSING = new Set(['attempts', 'invoice_changes', 'admissions']);

/** Bytes that grew permanently: without tables of passing rows and bodies of events. */
export async function keptBytes(pool: pg.Pool, grown: readonly Grown[], lives: number): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>('select avg(pg_column_size(body))::float8 as bytes from events');
  const staying = grown.filter(({ table }) => !PASSING.has(table));
  return staying.reduce((sum, { bytes }) => sum + bytes, 0) - (rows[0]?.bytes ?? Number.NaN) * lives;
}
