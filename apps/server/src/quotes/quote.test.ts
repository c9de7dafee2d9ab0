import { describe, expect, test } from 'vitest';
import { fc } from '../../rig/fakes/seeded-properties.ts';
import type { Token } from '../networks/network.ts';
import { amountBand, chainUnits, displayUnits, isGivenOut, placesOf, unitsAtPlace } from './quote.ts';

const usdt: Token = {
  symbol: 'USDT',
  pricedAs: 'USDT',
  contract: '0x',
  decimals: 18,
  displayDecimals: 6,
  stable: true,
};
const ether: Token = {
  symbol: 'ETH',
  pricedAs: 'ETH',
  contract: null,
  decimals: 18,
  displayDecimals: 8,
  stable: false,
};
const usd = 100_000_000n;
const dollar = 10n ** 12n;

describe('amountBand', () => {
  test.each<[string, bigint, bigint, Token, bigint, bigint, bigint]>([
    ['50 USD in USDT', 50n * usd, dollar, usdt, 50_000_000n, 9_999n, 50_000n],
    ['1 USD in USDT: a cent of salt', 1n * usd, dollar, usdt, 1_000_000n, 9_999n, 10_000n],
    ['100 USD in ETH at 3000', 100n * usd, 3_000n * dollar, ether, 3_333_334n, 3_333n, 3_333n],
    [
      'a million in USDT: no more salts than can be searched',
      1_000_000n * usd,
      dollar,
      usdt,
      1_000_000_000_000n,
      9_999n,
      99_999n,
    ],
    // At a price of 3000 a cent is worth 333 amounts, of which 250 may be given out; four cents have the wanted
    // thousand.
    ['10 USD in ETH at 3000: widened', 10n * usd, 3_000n * dollar, ether, 333_334n, 1_334n, 1_334n],
    ['10 USD in ETH at 20000: widened to five cents', 10n * usd, 20_000n * dollar, ether, 50_000n, 250n, 250n],
    [
      '100 USD in ETH at 20000: ten cents are more than that',
      100n * usd,
      20_000n * dollar,
      ether,
      500_000n,
      500n,
      500n,
    ],
    ['the least amount rounds up', 1n, dollar, usdt, 1n, 9_999n, 10_000n],
  ])('%s', (_rule, amount, price, token, base, usualSalts, salts) => {
    expect(amountBand(amount, price, token)).toEqual({ base, usualSalts, salts });
  });

  test('what is asked is never worth less than the invoice, and the salt at most a cent or a thousandth, or five cents for a thousand amounts', () => {
    const amounts = fc.bigInt({ min: 1n, max: 1_000_000n * usd });
    const prices = fc.bigInt({ min: 10n ** 9n, max: 10n ** 17n });
    fc.assert(
      fc.property(amounts, prices, fc.constantFrom(usdt, ether), (amount, price, token) => {
        const band = amountBand(amount, price, token);
        const scale = 10n ** BigInt(token.displayDecimals) * 10n ** 4n;
        // Both sides are in 10^-8 USD times `scale`.
        expect(band.base * price).toBeGreaterThanOrEqual(amount * scale);
        expect((band.base - 1n) * price).toBeLessThan(amount * scale);
        const cap = amount / 1_000n > 1_000_000n ? amount / 1_000n : 1_000_000n;
        const { first, end } = placesOf(band.base, band.salts, 'usual');
        const isWidened = band.salts * price > cap * scale;
        expect(isWidened && end - first > 1_000n).toBe(false);
        expect(band.salts * price).toBeLessThanOrEqual((isWidened ? 5_000_000n : cap) * scale);
        // Bands have fewer than a thousand amounts only where one more would cost more than five cents.
        expect(end - first < 1_000n && (band.salts + 1n) * price <= 5_000_000n * scale).toBe(false);
        expect(band.usualSalts).toBeLessThanOrEqual(band.salts);
      }),
    );
  });
});

test('an amount survives the way to the chain and back; digits below display precision do not', () => {
  expect(chainUnits(50_001_234n, usdt)).toBe(50_001_234_000_000_000_000n);
  expect(displayUnits(50_001_234_000_000_000_000n, usdt)).toBe(50_001_234n);
  expect(displayUnits(50_001_234_000_000_000_001n, usdt)).toBeUndefined();
});

test('no amount is given out that is round or leaves 3 when divided by 4', () => {
  const amounts = [0n, 1n, 2n, 3n, 4n, 7n, 50_000_000n, 50_001_003n, 50_001_004n];
  expect(amounts.filter(isGivenOut)).toEqual([1n, 2n, 4n, 50_001_004n]);
});

test('places are those amounts of a range that may be given out, each once and in order', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.bigInt({ min: 0n, max: 2_500n }), (base, salts) => {
      const { first, end } = placesOf(base, salts, 'usual');
      const found = Array.from({ length: Number(end - first) }, (_unused, at) =>
        unitsAtPlace(first + BigInt(at), 'usual'),
      );
      const all = Array.from({ length: Number(salts) + 1 }, (_unused, at) => base + BigInt(at));
      expect(found).toEqual(all.filter(isGivenOut));
    }),
  );
});

test('reserved amounts are exactly those that leave 3 when divided by 4, none of which is usual or round', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.bigInt({ min: 0n, max: 3_000n }), (base, salts) => {
      const { first, end } = placesOf(base, salts, 'reserved');
      const found = Array.from({ length: Number(end - first) }, (_unused, at) =>
        unitsAtPlace(first + BigInt(at), 'reserved'),
      );
      const all = Array.from({ length: Number(salts) + 1 }, (_unused, salt) => base + BigInt(salt));
      expect(found).toEqual(all.filter((units) => units % 4n === 3n));
      expect(found.filter((units) => isGivenOut(units) || units % 1_000n === 0n)).toEqual([]);
    }),
  );
});
