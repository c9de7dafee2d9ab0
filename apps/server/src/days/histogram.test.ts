import { describe, expect, test } from 'vitest';
import { addCounts, EDGES_SECONDS, readShare, SPANS } from './histogram.ts';

/** Counts with some durations in some spans. */
const counts = (places: Record<number, number>) => Array.from({ length: SPANS }, (_none, place) => places[place] ?? 0);

describe('a share of durations', () => {
  test.each<[string, Record<number, number>, number, number | null]>([
    ['is unknown without any', {}, 0.5, null],
    ['lies in the middle of the only span', { 0: 10 }, 0.5, 500],
    ['lies at the end of the only span when all are asked for', { 0: 10 }, 1, 1_000],
    ['skips empty spans', { 0: 1, 5: 1 }, 1, 13_000],
    ['lies between the edges of its span', { 4: 4 }, 0.5, 6_500],
    ['is the 95th of a hundred', { 0: 94, 9: 6 }, 0.95, 47_500],
    ['is the beginning of the last span, which has no end', { [SPANS - 1]: 3 }, 0.5, 21_600_000],
  ])('%s', (_what, places, share, expected) => {
    expect(readShare(counts(places), share)).toBe(expected);
  });
});

test('counts are added place by place, also where one is shorter', () => {
  expect(addCounts([counts({ 0: 1, 3: 2 }), [4]])).toEqual(counts({ 0: 5, 3: 2 }));
  expect(addCounts([])).toEqual(counts({}));
});

test('the edges never change, because counts are stored without them', () => {
  expect(EDGES_SECONDS.join(' ')).toBe('1 2 3 5 8 13 20 30 45 60 90 120 180 300 600 1800 3600 21600');
});
