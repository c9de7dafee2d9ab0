import type pg from 'pg';
import type { Database } from './database.ts';
import { isDatabaseError } from './database.ts';

/** Monthly partitions, created and dropped by database functions that act for the owner of the tables. */

function monthStart(year: number, month: number): Date {
  return new Date(Date.UTC(year, month, 1));
}

function isoDate(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** The partition of a moment, named by the first day of the month. */
export function periodOf(at: Date): string {
  return isoDate(monthStart(at.getUTCFullYear(), at.getUTCMonth()));
}

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Creates the partitions of this month and the next three; false when a table was in use, so that the caller must try
 * again.
 */
export async function ensurePartitions(pool: pg.Pool | pg.Client, now: Date): Promise<boolean> {
  try {
    await pool.query('select make_partitions($1::date)', [isoDate(now)]);
    return true;
  } catch (cause) {
    // A lock on the table is not waited for: every other statement would queue behind it, and there are months of time
    // to try again.
    if (!isDatabaseError(cause, LOCK_NOT_AVAILABLE)) throw cause;
    return false;
  }
}

/** Tables whose old months are dropped. */
type DroppedTable = 'attempts' | 'security_events';

/** Drops the oldest month of a table, if it ended before a moment and at least 30 days ago; returns its name. */
export async function dropOldestMonth(
  database: Database,
  table: DroppedTable,
  before: Date,
): Promise<string | undefined> {
  try {
    const { rows } = await database.pool.query<{ name: string | null }>('select drop_oldest_month($1, $2) as name', [
      table,
      before,
    ]);
    return rows[0]?.name ?? undefined;
  } catch (cause) {
    // The table is in use: the next round tries again.
    if (!isDatabaseError(cause, LOCK_NOT_AVAILABLE)) throw cause;
    return undefined;
  }
}
