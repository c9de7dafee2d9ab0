import type pg from 'pg';
import { expect, inject, test } from 'vitest';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { createCorrectedClock, createManualClock, systemClock } from '../lib/clock.ts';
import { MAX_SKEW_AT_START_MS, measureOffsetMs, requireAgreeingClock } from './clock-skew.ts';

const DATABASE_MS = Date.parse('2026-11-16T12:00:00Z');

/** A database with a stopped clock. */
const POOL = { query: async () => ({ rows: [{ ms: `${DATABASE_MS}.25` }] }) } as unknown as pg.Pool;

test.each([-60_000, -MAX_SKEW_AT_START_MS - 1, MAX_SKEW_AT_START_MS + 1, 60_000])(
  'a clock %i ms away from the database is refused, and the message says how far',
  async (awayMs) => {
    const base = createManualClock(DATABASE_MS + awayMs);
    const corrected = createCorrectedClock(base);
    await expect(requireAgreeingClock(POOL, base, corrected)).rejects.toThrow(
      `clock is ${-awayMs} ms away from the database's; at most 2000 ms is allowed`,
    );
    expect(corrected.nowMs()).toBe(base.nowMs());
  },
);

test.each([-MAX_SKEW_AT_START_MS, -1_400, 0, 1_400, MAX_SKEW_AT_START_MS])(
  'a clock %i ms away is corrected to the database',
  async (awayMs) => {
    const base = createManualClock(DATABASE_MS + awayMs);
    const corrected = createCorrectedClock(base);
    await requireAgreeingClock(POOL, base, corrected);
    expect(corrected.nowMs()).toBe(DATABASE_MS);
  },
);

/** A clock on which the round trips of a measurement take these milliseconds, one after another. */
function clockOfRoundTrips(tripsMs: readonly number[]) {
  let reads = 0;
  return {
    nowMs: () => {
      const trip = Math.floor(reads / 2);
      reads += 1;
      return DATABASE_MS + (reads % 2 === 0 ? (tripsMs[trip] ?? 0) : 0);
    },
    countTrips: () => reads / 2,
  };
}

test('the offset is counted from the middle of the round trip, which halves its error', async () => {
  expect(await measureOffsetMs(POOL, clockOfRoundTrips([200]))).toBe(-100);
});

test('a long round trip is measured again, and the shortest round trip counts', async () => {
  const clock = clockOfRoundTrips([6_000, 4_000, 20, 0]);
  expect(await measureOffsetMs(POOL, clock)).toBe(-10);
  expect(clock.countTrips()).toBe(3);
});

test('the shortest of five round trips counts when all of them are long', async () => {
  const clock = clockOfRoundTrips([6_000, 2_000, 4_000, 3_000, 5_000, 0]);
  expect(await measureOffsetMs(POOL, clock)).toBe(-1_000);
  expect(clock.countTrips()).toBe(5);
});

test('the time of the real database lies within the shortest round trip', async () => {
  const own = await openTestDatabase(inject('template'));
  const read: number[] = [];
  const clock = {
    nowMs: () => {
      read.push(systemClock.nowMs());
      return read.at(-1) ?? 0;
    },
  };
  const offsetMs = await measureOffsetMs(own.database.pool, clock);
  const trips = read.flatMap((sentMs, at) => (at % 2 === 0 ? [(read[at + 1] ?? 0) - sentMs] : []));
  // Both clocks are this machine's, which rounds to milliseconds.
  expect(Math.abs(offsetMs)).toBeLessThanOrEqual(Math.min(...trips) / 2 + 1);
  await own.drop();
});
