import type pg from 'pg';
import type { Clock, CorrectedClock } from '../lib/clock.ts';

/** Clock skew: the machine's clock is corrected to the database's clock, which all processes share. */

export const MAX_SKEW_AT_START_MS = 2_000;

/** A longer round trip contains a wait, for a connection or for a processor, and says little about clocks. */
const SHORT_ROUND_TRIP_MS = 250;
const MAX_MEASUREMENTS = 5;

type Measurement = { offsetMs: number; roundTripMs: number };

async function measureOnce(pool: pg.Pool, clock: Clock): Promise<Measurement> {
  const sentAt = clock.nowMs();
  const { rows } = await pool.query<{ ms: string }>(`select extract(epoch from clock_timestamp()) * 1000 as ms`);
  const receivedAt = clock.nowMs();
  return {
    offsetMs: Math.round(Number(rows[0]?.ms) - (sentAt + receivedAt) / 2),
    roundTripMs: receivedAt - sentAt,
  };
}

/**
 * Measures the milliseconds to add to `clock` to get the database's time; the error is at most half a round trip. A long
 * round trip is repeated, and the shortest one counts.
 */
export async function measureOffsetMs(pool: pg.Pool, clock: Clock): Promise<number> {
  let best = await measureOnce(pool, clock);
  for (let count = 1; count < MAX_MEASUREMENTS && best.roundTripMs > SHORT_ROUND_TRIP_MS; count += 1) {
    const next = await measureOnce(pool, clock);
    if (next.roundTripMs < best.roundTripMs) best = next;
  }
  return best.offsetMs;
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
