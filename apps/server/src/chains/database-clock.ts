import type { Clock } from '../lib/clock.ts';

/**
 * Detects forward jumps of the database's clock, as after a failover. Ages of reads use that clock: after a jump fresh
 * reads look old, so for as long as a read needs to age, none counts as old.
 */

/** The database's time of one statement, and the steady clock before and after. */
export type TimeSample = { databaseMs: number; beforeMs: number; afterMs: number };

export type DatabaseClockMemory = {
  readonly databaseClock: { last: TimeSample | undefined; untrustedUntilMs: number };
};

/** Tolerated difference of two clocks: a second, and a thousandth of the time between. */
const TOLERATED_MS = 1_000;
const TOLERATED_SHARE = 0.001;

/** The least forward jump between two samples; zero or less without one. */
function jumpBetween(earlier: TimeSample, later: TimeSample): number {
  const mostPassedMs = later.afterMs - earlier.beforeMs;
  return later.databaseMs - earlier.databaseMs - mostPassedMs * (1 + TOLERATED_SHARE) - TOLERATED_MS;
}

/** `ageMs`: how old a read must be. */
export function noteDatabaseTime({ databaseClock }: DatabaseClockMemory, sample: TimeSample, ageMs: number): void {
  const { last } = databaseClock;
  if (last && jumpBetween(last, sample) > 0) databaseClock.untrustedUntilMs = sample.afterMs + ageMs;
  databaseClock.last = sample;
}

/** Whether ages by the database's clock can be trusted. */
export function trustsAges({ databaseClock }: DatabaseClockMemory, steady: Clock): boolean {
  return steady.nowMs() >= databaseClock.untrustedUntilMs;
}

export const newDatabaseClock = (): DatabaseClockMemory['databaseClock'] => ({
  last: undefined,
  untrustedUntilMs: Number.NEGATIVE_INFINITY,
});
