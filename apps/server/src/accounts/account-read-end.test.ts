import { describe, expect, test } from 'vitest';
import type { ReadEnds } from './account-read-end.ts';
import { agedEnd, keepsEarlier, readerAfter, secondReadWays } from './account-read-end.ts';

const AGE = 15;
const mark = (height: number) => ({ height, time: height });
const end = (height: number, ageSeconds: number) => ({ height, time: height, ageSeconds });
const ends = (change: Partial<ReadEnds> = {}): ReadEnds => ({
  cursor: end(200, 1),
  earlier: undefined,
  covered: { height: 100, time: 100 },
  readBy: 'a',
  ...change,
});

describe('the newest end that is old enough', () => {
  test.each([
    ['nothing while the only first read is young', ends(), undefined],
    ['the last first read once it is old enough', ends({ cursor: end(200, AGE) }), 200],
    ['an earlier one while the last is young', ends({ earlier: end(150, AGE) }), 150],
    ['nothing while both are young', ends({ earlier: end(150, 14.9) }), undefined],
    ['the last one when both are old', ends({ cursor: end(200, 20), earlier: end(150, 40) }), 200],
    ['nothing that is covered', ends({ cursor: end(200, 1), earlier: end(100, 90) }), undefined],
    ['whatever was read before anything was covered', ends({ cursor: end(200, AGE), covered: undefined }), 200],
  ])('a second read covers up to %s', (_title, given, height) => {
    expect(agedEnd(given, AGE)?.height).toBe(height);
  });
});

describe('the earlier end', () => {
  test('the earlier end stays until it is covered, so that it grows old however often the account is read', () => {
    expect(keepsEarlier(ends({ earlier: end(150, 3) }))).toBe(true);
    expect(keepsEarlier(ends({ earlier: end(100, 3) }))).toBe(false);
    expect(keepsEarlier(ends())).toBe(false);
  });
});

describe('the reader', () => {
  test.each([
    ['is the first to read above coverage', ends({ cursor: end(100, 9), readBy: 'b' }), 'a', 'a'],
    ['stays while it reads on', ends(), 'a', 'a'],
    ['is none once another has read a part', ends(), 'b', undefined],
    ['stays none until everything is covered', ends({ readBy: undefined }), 'a', undefined],
  ])('the only reader above coverage %s', (_title, given, by, after) => {
    expect(readerAfter(given, by)).toBe(after);
  });
});

describe('a second read', () => {
  const limits = { finalized: { height: 1_000, time: 1_000 }, ageSeconds: AGE, providers: ['a', 'b'] };

  test('a second read asks another provider at once, and any provider once the first read is old enough', () => {
    const old = ends({ earlier: end(150, AGE) });
    expect(secondReadWays(old, limits)).toEqual([
      { upTo: mark(200), pass: { not: 'a' } },
      { upTo: mark(150), pass: 'second' },
    ]);
  });

  test.each([
    ['there is one provider', ends(), { ...limits, providers: ['a'] }],
    ['several providers read a part', ends({ readBy: undefined }), limits],
  ])('a second read waits when %s', (_title, given, more) => {
    expect(secondReadWays(given, more)).toEqual([]);
  });

  test('a second read covers nothing that is not final, and nothing twice', () => {
    expect(secondReadWays(ends(), { ...limits, finalized: mark(120) })).toEqual([
      { upTo: mark(120), pass: { not: 'a' } },
    ]);
    expect(secondReadWays(ends(), { ...limits, finalized: mark(100) })).toEqual([]);
  });
});
