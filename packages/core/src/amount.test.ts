import { describe, expect, test } from 'vitest';
import { fc } from '../../../apps/server/rig/fakes/seeded-properties.ts';
import { divideHalfUp, formatDecimal, parseDecimal, parseSignedDecimal, requireDecimal, trimZeros } from './amount.ts';

describe('parseDecimal', () => {
  test.each([
    ['0', 8, 0n],
    ['50', 8, 5_000_000_000n],
    ['50.5', 2, 5050n],
    ['0.00000001', 8, 1n],
    ['1000000', 8, 100_000_000_000_000n],
  ])('%s at %i decimals is %s units', (text, decimals, units) => {
    expect(parseDecimal(text, decimals)).toBe(units);
  });

  test.each(['', ' 1', '1 ', '+1', '-1', '01', '.5', '5.', '1e3', '0x10', '1_000', '1,5', '٣', 'NaN', '1.123456789'])(
    '%j is not a decimal of 8 digits',
    (text) => {
      expect(parseDecimal(text, 8)).toBeUndefined();
    },
  );

  test('what is formatted parses back to the same units', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
        expect(parseDecimal(formatDecimal(units, decimals), decimals)).toBe(units);
      }),
    );
  });
});

describe('formatDecimal', () => {
  test.each([
    [5_000_000_000n, 8, 2, '50.00'],
    [5_050_000_000n, 8, 2, '50.50'],
    [5_012_345_678n, 8, 2, '50.12345678'],
    [1n, 8, 2, '0.00000001'],
    [0n, 6, 2, '0.00'],
    [-150_000n, 6, 2, '-0.15'],
    [5000n, 4, 0, '0.5'],
    [100n, 2, 0, '1'],
    [7n, 0, 0, '7'],
  ])('%s units at %i decimals with at least %i shown is %s', (units, decimals, minimum, text) => {
    expect(formatDecimal(units, decimals, minimum)).toBe(text);
  });
});

test.each([
  [5n, 10n, 1n],
  [4n, 10n, 0n],
  [15n, 10n, 2n],
  [25n, 10n, 3n],
  [0n, 7n, 0n],
])('%s / %s rounds half up to %s', (numerator, denominator, quotient) => {
  expect(divideHalfUp(numerator, denominator)).toBe(quotient);
});

test.each([
  ['49.983100', '49.9831'],
  ['0.00', '0'],
  ['100', '100'],
  ['-1.000000', '-1'],
  ['5.', '5.'],
])('%s without zeros at its end is %s', (decimal, trimmed) => {
  expect(trimZeros(decimal)).toBe(trimmed);
});

test.each([
  ['-12.5', -125n],
  ['12.5', 125n],
  ['-0', 0n],
  ['--1', undefined],
  ['-', undefined],
  ['-1.55', undefined],
])('%s with a sign and one decimal is %s units', (text, units) => {
  expect(parseSignedDecimal(text, 1)).toBe(units);
});

test('a required decimal that cannot be parsed throws, and is never zero', () => {
  expect(requireDecimal('1.50', 8)).toBe(150_000_000n);
  for (const text of ['', 'nothing', '-1', '1.000000001', 'NaN']) {
    expect(() => requireDecimal(text, 8)).toThrow('is not an amount with at most 8 decimals');
  }
});
