import type pg from 'pg';

/** Tables partitioned by month, and how far ahead their partitions are made. */
const TABLES = ['ledger_entries'] as const;
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

function partitionStatements(table: string, now: Date, ahead: number): string[] {
  const from = monthStart(now.getUTCFullYear(), now.getUTCMonth() + ahead);
  const to = monthStart(now.getUTCFullYear(), now.getUTCMonth() + ahead + 1);
  const name = `${table}_${isoDate(from).slice(0, 7).replace('-', '_')}`;
  return [
    `create table if not exists ${name} partition of ${table} for values from ('${isoDate(from)}') to ('${isoDate(to)}')`,
    // Row triggers are inherited, those on truncate are not.
    `create or replace trigger ${name}_never_emptied before truncate on ${name} for each statement execute function refuse_change()`,
  ];
}
