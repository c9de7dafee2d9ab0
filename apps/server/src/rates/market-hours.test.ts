import { expect, test } from 'vitest';
import { isOlderInMarketTime } from './market-hours.ts';

const MINUTE_MS = 60_000;

test.each([
  ['on a working day it is the plain age', '2026-11-18T12:00:00Z', '2026-11-18T12:15:00Z', 15],
  ['a weekend in winter does not count', '2026-11-20T21:50:00Z', '2026-11-22T22:05:00Z', 15],
  ['a weekend in summer begins and ends an hour earlier', '2026-07-17T20:50:00Z', '2026-07-19T21:05:00Z', 15],
  ['a weekend across the end of summer time', '2026-10-30T20:50:00Z', '2026-11-01T22:05:00Z', 15],
  ['a weekend across the beginning of summer time', '2026-03-06T21:50:00Z', '2026-03-08T21:05:00Z', 15],
  ['Saturday to Sunday is no time', '2026-11-21T00:00:00Z', '2026-11-22T21:59:00Z', 0],
  ['Christmas Day does not count', '2026-12-24T21:50:00Z', '2026-12-27T22:05:00Z', 15],
  ["New Year's Day does not count", '2025-12-31T21:50:00Z', '2026-01-01T22:05:00Z', 15],
  ['a whole week has five trading days', '2026-11-16T12:00:00Z', '2026-11-23T12:00:00Z', 7_200],
])('market time: %s', (_rule, from, to, minutes) => {
  const [at, now] = [new Date(from), new Date(to)];
  expect(isOlderInMarketTime(at, now, minutes * MINUTE_MS)).toBe(false);
  expect(
    isOlderInMarketTime(at, new Date(now.getTime() + (minutes === 0 ? MINUTE_MS * 2 : 1)), minutes * MINUTE_MS),
  ).toBe(true);
});

test('a report is old after 15 days, whatever the limit', () => {
  expect(
    isOlderInMarketTime(new Date('2026-11-01T00:00:00Z'), new Date('2026-11-17T00:00:00Z'), 14 * 1_440 * MINUTE_MS),
  ).toBe(true);
});
