import { describe, expect, test } from 'vitest';
import type { AlertFacts, NextAlert } from './alert.ts';
import { hourOf, MAX_ATTEMPTS, nextAlert, nextAttemptAt } from './alert.ts';

const QUIET: AlertFacts = { hasFresh: false, lastPhase: null, raisedThisHour: false, overThisHour: false };

describe('a kind of alarm', () => {
  test.each<[string, Partial<AlertFacts>, NextAlert]>([
    ['without new alarms and without an alert needs none', {}, 'none'],
    ['with a new alarm is reported', { hasFresh: true }, 'raised'],
    ['that was reported in this hour waits for the next hour', { hasFresh: true, raisedThisHour: true }, 'none'],
    [
      'that was reported is over unless it lasts',
      { lastPhase: 'raised', raisedThisHour: true },
      'over-unless-it-lasts',
    ],
    [
      'is not over while a new alarm waits for its hour',
      { hasFresh: true, lastPhase: 'raised', raisedThisHour: true },
      'none',
    ],
    ['that was over in this hour is over again only in the next', { lastPhase: 'raised', overThisHour: true }, 'none'],
    ['is over once', { lastPhase: 'over' }, 'none'],
    ['that was over and is raised again is reported again', { hasFresh: true, lastPhase: 'over' }, 'raised'],
  ])('%s', (_title, facts, next) => {
    expect(nextAlert({ ...QUIET, ...facts })).toBe(next);
  });
});

test('an alert is retried within eleven hours, and given up after its last attempt', () => {
  const delays = Array.from({ length: MAX_ATTEMPTS }, (_, place) => nextAttemptAt(place + 1, 0)?.getTime());
  expect(delays.at(-1)).toBeUndefined();
  const sum = delays.slice(0, -1).reduce<number>((total, delay) => total + (delay ?? Number.NaN), 0);
  expect(sum).toBeLessThanOrEqual(11 * 3_600_000);
});

test('an hour begins at its first millisecond, in UTC', () => {
  expect(hourOf(Date.UTC(2026, 10, 19, 10, 59, 59, 999))).toEqual(new Date('2026-11-19T10:00:00Z'));
  expect(hourOf(Date.UTC(2026, 10, 19, 11))).toEqual(new Date('2026-11-19T11:00:00Z'));
});
