import type pg from 'pg';
import type { Clock, CorrectedClock } from '../lib/clock.ts';

/** Clock skew: the machine's clock is corrected to the database's clock, which all processes share. */

export const MAX_SKEW_AT_START_MS = 2_000;

/** Measures the milliseconds to add to `clock` to get the database's time; the error is at most half a round trip. */
export async function measureOffsetMs(pool: pg.Pool, clock: Clock): Promise<number> {
  const sentAt = clock.nowMs();
  const { rows } = await pool.query<{ ms: string }>(`select extract(epoch from clock_timestamp()) * 1000 as ms`);
  const receivedAt = clock.nowMs();
  return Math.round(Number(rows[0]?.ms) - (sentAt + receivedAt) / 2);
}

export async function requireAgreeingClock(pool: pg.Pool, base: Clock, corrected: CorrectedClock): Promise<void> {
  const offsetMs = await measureOffsetMs(pool, base);
  if (Math.abs(offsetMs) > MAX_SKEW_AT_START_MS) {
    throw new Error(
      `This machine's clock is ${offsetMs} ms away from the database's; at most ${MAX_SKEW_AT_START_MS} ms is allowed.`,
    );
  }
  corrected.correct(offsetMs);
}
