import { sql } from 'kysely';
import type pg from 'pg';
import type { Database } from './database.ts';
import { isDatabaseError } from './database.ts';
import { inTransaction } from './transaction.ts';

type PartitionedTable = { name: string; column: string; appendOnly: boolean };

/** Tables partitioned by month, and how far ahead their partitions are made. */
const TABLES: readonly PartitionedTable[] = [
  { name: 'ledger_entries', column: 'period', appendOnly: true },
  { name: 'attempts', column: 'at', appendOnly: false },
];
const MONTHS_AHEAD = 3;
// Any constant will do: it only has to be the same for all that make partitions.
const ADVISORY_LOCK = 0x0c_0f_03;

function monthStart(year: number, month: number): Date {
  return new Date(Date.UTC(year, month, 1));
}

export function isoDate(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** The partition of a moment: the first day of its month. */
export function periodOf(at: Date): string {
  return isoDate(monthStart(at.getUTCFullYear(), at.getUTCMonth()));
}

/** Makes the partitions of this month and the next three. Safe to repeat and to run in several processes. */
export async function ensurePartitions(pool: pg.Pool | pg.Client, now: Date): Promise<void> {
  const months = Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => ahead);
  const statements = TABLES.flatMap((table) => months.flatMap((ahead) => partitionStatements(table, now, ahead)));
  // Sent as one text they are one transaction. The lock is needed: "if not exists" alone fails when two run at once.
  await pool.query([`select pg_advisory_xact_lock(${ADVISORY_LOCK})`, ...statements].join(';\n'));
}

/** Rows of a month that came before its partition stay in the default one: to make it then would fail. */
function partitionStatements(table: PartitionedTable, now: Date, ahead: number): string[] {
  const from = monthStart(now.getUTCFullYear(), now.getUTCMonth() + ahead);
  const to = monthStart(now.getUTCFullYear(), now.getUTCMonth() + ahead + 1);
  const name = `${table.name}_${isoDate(from).slice(0, 7).replace('-', '_')}`;
  const within = `${table.column} >= '${isoDate(from)}' and ${table.column} < '${isoDate(to)}'`;
  // Row triggers are inherited, those on truncate are not.
  const guard = `create trigger ${name}_never_emptied before truncate on ${name} for each statement execute function refuse_change();`;
  return [
    `do $$ begin
      if to_regclass('${name}') is null and not exists (select from ${table.name}_default where ${within}) then
        create table ${name} partition of ${table.name} for values from ('${isoDate(from)}') to ('${isoDate(to)}');
        ${table.appendOnly ? guard : ''}
      end if;
    end $$`,
  ];
}

const MONTH_OF_PARTITION = /_(\d{4})_(\d{2})$/;
const LOCK_NOT_AVAILABLE = '55P03';
/** To drop a partition stops everybody who uses the table: better later than for long. */
const DROP_LOCK_TIMEOUT = '500ms';

/** Drops the oldest partition of a table whose month ended before a moment; returns its name, if there was one. */
export async function dropOldestPartition(
  database: Database,
  table: 'attempts',
  before: Date,
): Promise<string | undefined> {
  const { rows } = await database.pool.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = $1::regclass order by relname`,
    [table],
  );
  const oldest = rows.find(({ name }) => {
    const [, year, month] = MONTH_OF_PARTITION.exec(name) ?? [];
    return year !== undefined && month !== undefined && monthStart(Number(year), Number(month)) <= before;
  });
  if (!oldest) return undefined;
  try {
    await inTransaction(database, async (tx) => {
      await sql.raw(`set local lock_timeout = '${DROP_LOCK_TIMEOUT}'`).execute(tx);
      await sql.raw(`drop table if exists ${oldest.name}`).execute(tx);
    });
  } catch (cause) {
    if (!isDatabaseError(cause, LOCK_NOT_AVAILABLE)) throw cause;
    return undefined;
  }
  return oldest.name;
}
