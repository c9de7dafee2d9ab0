import { expect, test } from 'vitest';
import { grownRange, HEAD, growRange, rangeOf, shrinkRange, shrunkRange } from './block-range.ts';

test.each<[string, number, number | undefined, number]>([
  ['is halved', 50, undefined, 25],
  ['goes down to what the provider suggests', 50, 10, 10],
  ['is halved when the provider suggests what was refused', 8, 100, 4],
  ['never goes below one block', 1, undefined, 1],
])('a refused range %s', (_title, range, suggested, expected) => {
  expect(shrunkRange(range, suggested)).toBe(expected);
});

test.each([
  ['grows when it was read in full', 50, 50, 63],
  ['grows by one at least', 1, 1, 2],
  ['does not grow beyond what the source takes', 1_999, 1_999, 2_000],
  ['does not grow when less of it was there to read', 50, 49, 50],
])('a range %s', (_title, range, read, expected) => {
  expect(grownRange(range, read, 2_000)).toBe(expected);
});

test('first reads and second reads of each tier have ranges of their own', () => {
  const ranges = new Map<string, number>();
  growRange(ranges, 'finalized', 50, 2_000);
  expect(shrinkRange(ranges, 'safe', 1)).toBe(true);
  expect(['finalized', 'safe', HEAD].map((where) => rangeOf(ranges, where))).toEqual([63, 1, 50]);
});

test('a single block that is refused is not made smaller', () => {
  const ranges = new Map([[HEAD, 1]]);
  expect(shrinkRange(ranges, HEAD, undefined)).toBe(false);
  expect(rangeOf(ranges, HEAD)).toBe(1);
});
