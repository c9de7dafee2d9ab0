import { expect, test } from 'vitest';
import { parseRetryAfter } from './parse-retry-after.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const MAX_MS = 3_600_000;

test.each([
  ['7', 7_000],
  [' 7 ', 7_000],
  ['0', 0],
  ['999999999', MAX_MS],
  ['9999999999', undefined],
  ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
  ['Thursday, 01-Jan-26 00:00:30 GMT', 30_000],
  ['2026-01-01T00:00:30Z', 30_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['Fri, 01 Jan 2027 00:00:00 GMT', MAX_MS],
  ['soon', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['never GMT', undefined],
  ['', undefined],
])('retry-after "%s" asks for %s milliseconds', (header, milliseconds) => {
  expect(parseRetryAfter(header, NOW_MS, MAX_MS)).toBe(milliseconds);
});

test('a date that is counted from an unknown moment asks for nothing', () => {
  expect(parseRetryAfter('Thu, 01 Jan 2026 00:00:30 GMT', Number.NaN, MAX_MS)).toBe(undefined);
});
