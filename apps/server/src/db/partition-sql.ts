import type pg from 'pg';
import type { Database } from './database.ts';
import { isDatabaseError } from './database.ts';

/** Months of the tables that are partitioned: made and dropped by functions that act for the owner of the tables. */

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

const LOCK_NOT_AVAILABLE = '55P03';

/** Makes the partitions of this month and the next three; false when a table was in use, so that it must be tried again. */
export async function ensurePartitions(pool: pg.Pool | pg.Client, now: Date): Promise<boolean> {
  try {
    await pool.query('select make_partitions($1::date)', [isoDate(now)]);
    return true;
  } catch (cause) {
    // Whoever waits for the table stops all that come after: there are months of time to make the next one.
    if (!isDatabaseError(cause, LOCK_NOT_AVAILABLE)) throw cause;
    return false;
  }
}

/** Drops the oldest month of attempts that ended before a moment, and 30 days ago at least; returns its name, if there was one. */
export async function dropOldestAttempts(database: Database, before: Date): Promise<string | undefined> {
  try {
    const { rows } = await database.pool.query<{ name: string | null }>('select drop_oldest_attempts($1) as name', [
      before,
    ]);
    return rows[0]?.name ?? undefined;
  } catch (cause) {
    // Somebody uses the table: it is tried again with the next round.
    if (!isDatabaseError(cause, LOCK_NOT_AVAILABLE)) throw cause;
    return undefined;
  }
}
