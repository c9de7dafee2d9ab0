import { describe, expect, test } from 'vitest';
import type { StatementRow } from '../platforms/statement-source.ts';
import type { StatementProgress, TimeRange } from './plan-statement.ts';
import { coveredAfter, planStatement, UNCLEAR_WAIT_MS } from './plan-statement.ts';

const NOW = Date.UTC(2026, 10, 16, 12);
const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const position = {
  cursorMs: NOW - 2 * SECOND,
  coveredMs: NOW - 2 * MINUTE - 2 * SECOND,
  isStopped: false,
  overlapReadMs: NOW - 10 * SECOND,
  dayReadMs: NOW,
};

describe('a poll of a statement', () => {
  test('reads again the two minutes before its cursor', () => {
    expect(planStatement(position, NOW)).toEqual({
      newest: { fromMs: NOW - 2 * MINUTE - 2 * SECOND, toMs: NOW },
      overlap: undefined,
      behind: undefined,
      slice: undefined,
    });
  });

  test.each([
    ['every 30 seconds', NOW - 30 * SECOND],
    ['when it never did', undefined],
  ])('reads again the last half hour %s', (_when, overlapReadMs) => {
    const plan = planStatement({ ...position, overlapReadMs }, NOW);
    expect(plan.overlap).toEqual({ fromMs: NOW - 30 * MINUTE, toMs: NOW });
  });

  test('goes back to a coverage that is near, with the newest rows', () => {
    const coveredMs = NOW - 20 * MINUTE;
    expect(planStatement({ ...position, coveredMs }, NOW)).toMatchObject({
      newest: { fromMs: coveredMs, toMs: NOW },
      behind: undefined,
    });
  });

  test('goes back to a coverage that is far, a day at a time and beside the newest rows, so that an outage is read twice', () => {
    const coveredMs = NOW - 30 * HOUR;
    const due = { ...position, coveredMs, overlapReadMs: NOW - 30 * SECOND };
    const fromMs = NOW - 2 * MINUTE - 2 * SECOND;
    expect(planStatement(due, NOW)).toMatchObject({
      newest: { fromMs, toMs: NOW },
      behind: { fromMs: coveredMs, toMs: coveredMs + 24 * HOUR },
    });
    const near = { ...due, coveredMs: NOW - 3 * HOUR };
    expect(planStatement(near, NOW).behind).toEqual({ fromMs: NOW - 3 * HOUR, toMs: fromMs });
  });

  test('reads the newest rows of a stopped account, however long ago its coverage stopped', () => {
    const stopped = { ...position, isStopped: true, coveredMs: NOW - 100 * HOUR, overlapReadMs: undefined };
    expect(planStatement(stopped, NOW)).toMatchObject({
      newest: { fromMs: NOW - 2 * MINUTE - 2 * SECOND, toMs: NOW },
      behind: undefined,
    });
  });

  test('reads a day at most after an outage, and never ends below its cursor', () => {
    const cursorMs = NOW - 100 * HOUR;
    const { newest, overlap } = planStatement({ ...position, cursorMs, coveredMs: cursorMs - 2 * MINUTE }, NOW);
    expect(newest).toEqual({ fromMs: cursorMs - 2 * MINUTE, toMs: cursorMs - 2 * MINUTE + 24 * HOUR });
    expect(overlap).toBeUndefined();
    const ahead = planStatement({ ...position, cursorMs: NOW + MINUTE, coveredMs: NOW - MINUTE }, NOW);
    expect(ahead.newest.toMs).toBe(NOW + MINUTE);
  });

  test.each([
    ['2 seconds', 2],
    ['7 seconds', 7],
    ['a minute', 60],
    ['70 seconds', 70],
  ])(
    'reads every part of the last day again within an hour, an hour at a time, when polled every %s',
    (_often, every) => {
      const read: TimeRange[] = [];
      let dayReadMs: number | undefined = NOW - MINUTE;
      for (let at = NOW; at <= NOW + HOUR; at += every * SECOND) {
        const { slice } = planStatement({ ...position, dayReadMs }, at);
        if (!slice) continue;
        dayReadMs = slice.turnMs;
        read.push(slice);
      }
      expect(read.length).toBeLessThanOrEqual(25);
      expect(read.every(({ fromMs, toMs }) => toMs - fromMs === HOUR)).toBe(true);
      for (let at = NOW - 22 * HOUR; at <= NOW; at += MINUTE)
        expect(read.some(({ fromMs, toMs }) => at >= fromMs && at <= toMs)).toBe(true);
    },
  );

  test('catches up what an outage of hours missed one slice at a time, each of the last day once', () => {
    const read: TimeRange[] = [];
    let dayReadMs = NOW - 5 * HOUR;
    for (let polls = 0; polls < 100; polls += 1) {
      const { slice } = planStatement({ ...position, dayReadMs }, NOW);
      if (!slice) break;
      dayReadMs = slice.turnMs;
      read.push({ fromMs: slice.fromMs, toMs: slice.toMs });
    }
    const hours = Array.from({ length: 24 }, (_, hour) => NOW - (24 - hour) * HOUR);
    expect(read.toSorted((left, right) => left.fromMs - right.fromMs)).toEqual(
      hours.map((fromMs) => ({ fromMs, toMs: fromMs + HOUR })),
    );
  });
});

const row: StatementRow = { id: 'P_1', token: 'USDT', units: 0n, atMs: NOW - 30 * MINUTE, from: '', state: 'unclear' };
const progress: StatementProgress = {
  coveredMs: NOW - 5 * HOUR,
  cursorMs: NOW - SECOND,
  newest: { fromMs: NOW - 5 * HOUR, toMs: NOW },
  behindToMs: undefined,
  rows: [],
};

describe('coverage after a poll', () => {
  test.each<[string, Partial<StatementProgress>, number]>([
    ['ends two minutes before the poll began', {}, NOW - 2 * MINUTE],
    ['ends where the poll before it ended', { cursorMs: NOW - HOUR }, NOW - HOUR],
    ['ends where the poll has read to', { newest: { fromMs: NOW - 5 * HOUR, toMs: NOW - HOUR } }, NOW - HOUR],
    [
      'stays where it is while what lies behind the newest rows is not read',
      { newest: { fromMs: NOW - HOUR, toMs: NOW } },
      NOW - 5 * HOUR,
    ],
    [
      'ends where a read behind the newest rows ended',
      { newest: { fromMs: NOW - HOUR, toMs: NOW }, behindToMs: NOW - 3 * HOUR },
      NOW - 3 * HOUR,
    ],
    [
      'goes on to the newest rows once everything behind them is read',
      { newest: { fromMs: NOW - HOUR, toMs: NOW }, behindToMs: NOW - HOUR },
      NOW - 2 * MINUTE,
    ],
    ['ends a millisecond below an unclear row', { rows: [row] }, row.atMs - 1],
    [
      'passes an unclear row that is twelve hours old',
      {
        coveredMs: NOW - 14 * HOUR,
        newest: { fromMs: NOW - 14 * HOUR, toMs: NOW },
        rows: [{ ...row, atMs: NOW - UNCLEAR_WAIT_MS }],
      },
      NOW - 2 * MINUTE,
    ],
    ['does not wait for an unclear row below it', { rows: [{ ...row, atMs: NOW - 6 * HOUR }] }, NOW - 2 * MINUTE],
    ['never goes back', { coveredMs: NOW - MINUTE, cursorMs: NOW - 2 * HOUR }, NOW - MINUTE],
  ])('%s', (_where, more, covered) => {
    expect(coveredAfter({ ...progress, ...more }, NOW)).toBe(covered);
  });
});
