import { describe, expect, test } from 'vitest';
import type { CountedDay, DueDay } from './store-day.ts';
import { addDays, dayOf, findDueDay, startOfDay } from './store-day.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const NOON = at('2026-11-17T12:00:00');
const counted = (day: string, agoMs: number, changes: Partial<CountedDay> = {}): CountedDay => ({
  day,
  countedAtMs: NOON - agoMs,
  tookMs: 10,
  closed: false,
  ...changes,
});
const TODAY = '2026-11-17';
const YESTERDAY = '2026-11-16';
const MINUTE = 60_000;

describe('the day to count next', () => {
  test.each<[string, CountedDay[], string | undefined, DueDay | undefined]>([
    ['is today where there is no invoice', [], undefined, { day: TODAY, closes: false }],
    [
      'is the day of the first invoice where nothing was counted',
      [],
      '2026-11-02',
      { day: '2026-11-02', closes: true },
    ],
    ['is at most 400 days ago', [], '2020-01-01', { day: addDays(TODAY, -400), closes: true }],
    ['is none when all were just counted', [counted(YESTERDAY, 1), counted(TODAY, 1)], undefined, undefined],
    [
      'is today a minute later',
      [counted(YESTERDAY, 1), counted(TODAY, MINUTE)],
      undefined,
      { day: TODAY, closes: false },
    ],
    [
      'is not today while a slow count rests',
      [counted(YESTERDAY, 1), counted(TODAY, MINUTE, { tookMs: 3_001 })],
      undefined,
      undefined,
    ],
    [
      'is yesterday an hour later',
      [counted(YESTERDAY, 60 * MINUTE), counted(TODAY, 1)],
      undefined,
      { day: YESTERDAY, closes: false },
    ],
    ['is not yesterday before that', [counted(YESTERDAY, 59 * MINUTE), counted(TODAY, 1)], undefined, undefined],
    [
      'is an older day that is still open, for the last time',
      [counted('2026-11-15', 1), counted(YESTERDAY, 1), counted(TODAY, MINUTE)],
      undefined,
      { day: '2026-11-15', closes: true },
    ],
    [
      'is the first day that was missed, for the only time',
      [counted('2026-11-12', 1, { closed: true })],
      undefined,
      { day: '2026-11-13', closes: true },
    ],
    [
      'is today although a clock that was an hour ahead has counted it',
      [counted(YESTERDAY, 1), counted(TODAY, -60 * MINUTE)],
      undefined,
      { day: TODAY, closes: false },
    ],
    [
      'is none when a clock that is seconds ahead has just counted it',
      [counted(YESTERDAY, 1), counted(TODAY, -MINUTE + 1)],
      undefined,
      undefined,
    ],
    [
      'is yesterday although a clock that was days ahead has closed it',
      [counted(YESTERDAY, -3 * 24 * 60 * MINUTE, { closed: true }), counted(TODAY, 1)],
      undefined,
      { day: YESTERDAY, closes: false },
    ],
    [
      'is yesterday when only that was missed, and yesterday stays open',
      [counted('2026-11-15', 1, { closed: true })],
      undefined,
      { day: YESTERDAY, closes: false },
    ],
  ])('%s', (_what, days, firstDay, expected) => {
    expect(findDueDay({ nowMs: NOON, counted: days, firstDay })).toEqual(expected);
  });

  test('is yesterday every minute in the first hour after midnight', () => {
    const nowMs = at('2026-11-17T00:30:00');
    const days = [YESTERDAY, TODAY].map((day) => counted(day, 0, { countedAtMs: nowMs - MINUTE }));
    expect(findDueDay({ nowMs, counted: days, firstDay: undefined })).toEqual({ day: YESTERDAY, closes: false });
  });
});

test('days are those of UTC', () => {
  expect(dayOf(at('2026-12-31T23:59:59.999'))).toBe('2026-12-31');
  expect(startOfDay('2027-01-01')).toBe(at('2027-01-01T00:00:00'));
  expect(addDays('2024-02-28', 1)).toBe('2024-02-29');
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
});
