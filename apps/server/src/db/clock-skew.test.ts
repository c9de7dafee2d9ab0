import type pg from 'pg';
import { expect, inject, test } from 'vitest';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { createCorrectedClock, createManualClock, systemClock } from '../lib/clock.ts';
import { MAX_SKEW_AT_START_MS, measureOffsetMs, requireAgreeingClock } from './clock-skew.ts';

const DATABASE_MS = Date.parse('2026-11-16T12:00:00Z');

/** A database whose clock stands still. */
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

test('the offset is counted from the middle of the round trip, which halves its error', async () => {
  let reads = 0;
  // This clock makes two seconds pass between sending and receiving.
  const slow = { nowMs: () => DATABASE_MS + (reads++ === 0 ? 0 : 2_000) };
  expect(await measureOffsetMs(POOL, slow)).toBe(-1_000);
});

test('the time of the real database lies within the round trip', async () => {
  const own = await openTestDatabase(inject('template'));
  const read: number[] = [];
  const clock = {
    nowMs: () => {
      read.push(systemClock.nowMs());
      return read.at(-1) ?? 0;
    },
  };
  const offsetMs = await measureOffsetMs(own.database.pool, clock);
  const [sentMs = 0, receivedMs = 0] = read;
  // Both clocks are this machine's, which rounds to milliseconds.
  expect(Math.abs(offsetMs)).toBeLessThanOrEqual((receivedMs - sentMs) / 2 + 1);
  await own.drop();
});
