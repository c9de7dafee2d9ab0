import { describe, expect, test } from 'vitest';
import type { TimeRange } from './plan-statement.ts';
import { coveredAfter, planStatement } from './plan-statement.ts';

const NOW = Date.UTC(2026, 10, 16, 12);
const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const position = {
  cursorMs: NOW - 2 * SECOND,
  coveredMs: NOW - 2 * MINUTE - 2 * SECOND,
  overlapReadMs: NOW - 10 * SECOND,
  dayReadMs: NOW,
};

describe('a poll of a statement', () => {
  test('reads again the two minutes before its cursor', () => {
    expect(planStatement(position, NOW)).toEqual({
      newest: { fromMs: NOW - 2 * MINUTE - 2 * SECOND, toMs: NOW },
      slice: undefined,
      overlaps: false,
    });
  });

  test.each([
    ['every 30 seconds', NOW - 30 * SECOND],
    ['when it never did', undefined],
  ])('reads again the last half hour %s', (_when, overlapReadMs) => {
    const plan = planStatement({ ...position, overlapReadMs }, NOW);
    expect(plan).toMatchObject({ newest: { fromMs: NOW - 30 * MINUTE, toMs: NOW }, overlaps: true });
  });

  test('goes back to its coverage, so that what an outage left was read twice', () => {
    const coveredMs = NOW - 3 * HOUR;
    expect(planStatement({ ...position, coveredMs }, NOW).newest).toEqual({ fromMs: coveredMs, toMs: NOW });
  });

  test('reads a day at most after an outage, and never ends below its cursor', () => {
    const cursorMs = NOW - 100 * HOUR;
    const { newest, overlaps } = planStatement({ ...position, cursorMs, coveredMs: cursorMs - 2 * MINUTE }, NOW);
    expect(newest).toEqual({ fromMs: cursorMs - 2 * MINUTE, toMs: cursorMs - 2 * MINUTE + 24 * HOUR });
    expect(overlaps).toBe(false);
    const ahead = planStatement({ ...position, cursorMs: NOW + MINUTE, coveredMs: NOW - MINUTE }, NOW);
    expect(ahead.newest.toMs).toBe(NOW + MINUTE);
  });

  test.each([
    ['2 seconds', 2],
    ['7 seconds', 7],
    ['a minute', 60],
    ['70 seconds', 70],
    ['10 minutes', 600],
  ])('reads every part of the last day again within an hour, slice by slice, when polled every %s', (_often, every) => {
    const read: TimeRange[] = [];
    let dayReadMs: number | undefined = NOW - MINUTE;
    for (let at = NOW; at <= NOW + HOUR; at += every * SECOND) {
      const { slice } = planStatement({ ...position, dayReadMs }, at);
      if (!slice) continue;
      dayReadMs = at;
      read.push(slice);
    }
    expect(read.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)).toBeLessThanOrEqual(48 * HOUR);
    for (let at = NOW - 22 * HOUR; at <= NOW; at += MINUTE)
      expect(read.some(({ fromMs, toMs }) => at >= fromMs && at <= toMs)).toBe(true);
  });

  test('reads the whole last day once after an outage of hours', () => {
    const { slice } = planStatement({ ...position, dayReadMs: NOW - 5 * HOUR }, NOW);
    expect(slice).toEqual({ fromMs: NOW - 24 * HOUR, toMs: NOW });
  });
});

describe('coverage after a poll', () => {
  test.each([
    ['ends two minutes before the poll began', NOW - SECOND, NOW, NOW - 2 * MINUTE],
    ['ends where the poll before it ended', NOW - HOUR, NOW, NOW - HOUR],
    ['ends where the poll has read to', NOW - SECOND, NOW - HOUR, NOW - HOUR],
  ])('%s', (_where, cursorMs, readToMs, covered) => {
    expect(coveredAfter(cursorMs, readToMs, NOW)).toBe(covered);
  });
});
