import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { createCorrectedClock, createManualClock } from '../lib/clock.ts';
import { MAX_SKEW_AT_START_MS, measureOffsetMs, requireAgreeingClock } from './clock-skew.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

/** Tolerance for the time that passes between asking and comparing on a busy machine. */
const SLACK_MS = 500;

async function databaseNowMs(): Promise<number> {
  const { rows } = await own.database.pool.query<{ now: Date }>('select clock_timestamp() as now');
  return rows[0]?.now.getTime() ?? Number.NaN;
}

/** A clock that is `awayMs` ahead of the database's clock. */
async function clockAway(awayMs: number) {
  return createManualClock((await databaseNowMs()) + awayMs);
}

test.each([-60_000, -MAX_SKEW_AT_START_MS - SLACK_MS, MAX_SKEW_AT_START_MS + SLACK_MS, 60_000])(
  'a clock %i ms away from the database is refused, and the message says how far',
  async (awayMs) => {
    const base = await clockAway(awayMs);
    const corrected = createCorrectedClock(base);
    await expect(requireAgreeingClock(own.database.pool, base, corrected)).rejects.toThrow(
      /clock is -?\d+ ms away from the database's; at most 2000 ms is allowed/,
    );
    expect(corrected.nowMs()).toBe(base.nowMs());
  },
);

test.each([-1_400, 0, 1_400])('a clock %i ms away is corrected to the database', async (awayMs) => {
  const base = await clockAway(awayMs);
  const corrected = createCorrectedClock(base);
  await requireAgreeingClock(own.database.pool, base, corrected);
  const offset = corrected.nowMs() - base.nowMs();
  expect(offset).toBeGreaterThanOrEqual(-awayMs - 1);
  expect(offset).toBeLessThan(-awayMs + SLACK_MS);
});

test('the offset is counted from the middle of the round trip, which halves its error', async () => {
  const startMs = await databaseNowMs();
  let reads = 0;
  // This clock makes two seconds pass between sending and receiving.
  const slow = { nowMs: () => startMs + (reads++ === 0 ? 0 : 2_000) };
  const offset = await measureOffsetMs(own.database.pool, slow);
  expect(offset).toBeGreaterThanOrEqual(-1_001);
  expect(offset).toBeLessThan(-1_000 + SLACK_MS);
});
