import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Token } from '../networks/network.ts';
import { amountBand, roundUnits, chainUnits, displayUnits } from './quote.ts';

const usdt: Token = { symbol: 'USDT', contract: '0x', decimals: 18, displayDecimals: 6, stable: true };
const ether: Token = { symbol: 'ETH', contract: null, decimals: 18, displayDecimals: 8, stable: false };
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
    ['the least amount rounds up', 1n, dollar, usdt, 1n, 9_999n, 10_000n],
  ])('%s', (_rule, amount, price, token, base, usualSalts, salts) => {
    expect(amountBand(amount, price, token)).toEqual({ base, usualSalts, salts });
  });

  test('what is asked is never worth less than the invoice, and the salt at most a cent or a thousandth', () => {
    const amounts = fc.bigInt({ min: 1n, max: 1_000_000n * usd });
    const prices = fc.bigInt({ min: 10n ** 9n, max: 10n ** 17n });
    fc.assert(
      fc.property(amounts, prices, fc.constantFrom(usdt, ether), (amount, price, token) => {
        const band = amountBand(amount, price, token);
        const scale = 10n ** BigInt(token.displayDecimals) * 10n ** 4n;
        // Both sides in 10^-8 USD times `scale`.
        expect(band.base * price).toBeGreaterThanOrEqual(amount * scale);
        expect((band.base - 1n) * price).toBeLessThan(amount * scale);
        const cap = amount / 1_000n > 1_000_000n ? amount / 1_000n : 1_000_000n;
        expect(band.salts * price).toBeLessThanOrEqual(cap * scale);
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

test('a band knows its round amounts, also at its ends', () => {
  expect(roundUnits({ base: 50_000_000n, usualSalts: 9_999n, salts: 10_000n })).toHaveLength(11);
  expect(roundUnits({ base: 50_000_001n, usualSalts: 998n, salts: 998n })).toEqual([]);
  expect(roundUnits({ base: 999n, usualSalts: 1n, salts: 1n })).toEqual([1_000n]);
});
