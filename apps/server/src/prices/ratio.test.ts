import { formatDecimal } from '@counterfoil/core/amount.ts';
import { expect, test } from 'vitest';
import { fc } from '../../rig/fakes/seeded-properties.ts';
import { middleOf, multiplyRatios, parseRatio } from './ratio.ts';

test.each([
  ['2500', 2500n, 1n],
  ['2500.10', 250_010n, 100n],
  ['0.00000001', 1n, 100_000_000n],
  ['00012.5', 125n, 10n],
  ['1.000000000000000001', 1_000_000_000_000_000_001n, 10n ** 18n],
])('%s is %s / %s', (text, numerator, denominator) => {
  expect(parseRatio(text)).toEqual({ numerator, denominator });
});

test.each(['', '0', '0.000', '-1', '+1', '1e3', '.5', '5.', ' 1', '1,5', 'NaN', 'Infinity', '٣', '9'.repeat(41)])(
  '%j is no price',
  (text) => {
    expect(parseRatio(text)).toBeUndefined();
  },
);

const positive = fc.bigInt({ min: 1n, max: 10n ** 24n });
const decimals = fc.integer({ min: 0, max: 12 });

test('every decimal is parsed without losing a digit', () => {
  fc.assert(
    fc.property(positive, decimals, (units, places) => {
      const ratio = parseRatio(formatDecimal(units, places, places));
      expect(ratio).toEqual({ numerator: units, denominator: 10n ** BigInt(places) });
    }),
  );
});

test('the middle is as far from the one as from the other', () => {
  fc.assert(
    fc.property(positive, positive, positive, positive, (first, second, third, fourth) => {
      const left = { numerator: first, denominator: second };
      const right = { numerator: third, denominator: fourth };
      const { numerator, denominator } = middleOf(left, right);
      // 2 m = left + right, over a common denominator.
      expect(2n * numerator * second * fourth).toBe(denominator * (first * fourth + third * second));
    }),
  );
});

test('a product is exact', () => {
  expect(multiplyRatios({ numerator: 1n, denominator: 3n }, { numerator: 3n, denominator: 7n })).toEqual({
    numerator: 3n,
    denominator: 21n,
  });
});
