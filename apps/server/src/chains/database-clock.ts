import type { Clock } from '../lib/clock.ts';

/**
 * Notices when the database's clock jumps forward, as after a failover. How old reads are is measured by that clock:
 * after a jump fresh reads look old, so for as long as a read needs to become old, none counts as old.
 */

/** The database's time of one statement, and the steady clock before and after the statement. */
export type TimeSample = { databaseMs: number; beforeMs: number; afterMs: number };

/** Written by this file alone. */
export type DatabaseClockMemory = {
  readonly databaseClock: { last: TimeSample | undefined; untrustedUntilMs: number };
};

/** Difference up to which two clocks count as running alike: a second, and a thousandth of the time between. */
const TOLERATED_MS = 1_000;
const TOLERATED_SHARE = 0.001;

/** How far the database's clock jumped forward between two samples, at the least; zero or less if it did not. */
function jumpBetween(earlier: TimeSample, later: TimeSample): number {
  const mostPassedMs = later.afterMs - earlier.beforeMs;
  return later.databaseMs - earlier.databaseMs - mostPassedMs * (1 + TOLERATED_SHARE) - TOLERATED_MS;
}

/** Notes the database's time; `ageMs` is how old a read must be to count as old. */
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
