import { parseDecimal } from '@counterfoil/core/amount.ts';
import { describe, expect, test } from 'vitest';
import { fc } from '../../rig/fakes/seeded-properties.ts';
import type { PastPrice, PriceDecision, PricedToken, TokenReport } from './price.ts';
import {
  decidePrice,
  decideUsdtRate,
  findAgreedMedian,
  MAX_REPORT_AGE_MS,
  PRICE_DECIMALS,
  PRICED_TOKENS,
  quantizePrice,
} from './price.ts';

const NOW = new Date(Date.UTC(2026, 10, 15, 12));
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);
const units = (usd: string) => parseDecimal(usd, PRICE_DECIMALS) ?? -1n;

/** Price and age in seconds per source; sources are named a, b, c and so on. */
type Said = [usd: string, ageSeconds: number];

function reportsOf(token: PricedToken, said: readonly Said[]): TokenReport[] {
  return said.map(([usd, seconds], position) => ({
    token,
    source: 'abcdefgh'.charAt(position),
    priceUnits: units(usd),
    at: ago(seconds),
  }));
}

function historyOf(token: PricedToken, past: readonly Said[]): PastPrice[] {
  return past.map(([usd, seconds]) => ({ token, priceUnits: units(usd), decidedAt: ago(seconds) }));
}

function outcome(decision: PriceDecision): string {
  if (!decision.available) return decision.reason;
  return `${decision.priceUnits} by ${decision.sources.map((one) => one.source).join('')}`;
}

const available = (usd: string, sources: string) => `${units(usd)} by ${sources}`;

describe('a coin', () => {
  test.each<[string, Said[], Said[], string]>([
    ['nobody says anything', [], [], 'no-fresh-sources'],
    ['one source is not enough', [['2500', 0]], [], 'no-fresh-sources'],
    [
      'two agree: halfway',
      [
        ['2500', 0],
        ['2501', 0],
      ],
      [],
      available('2500.5', 'ab'),
    ],
    [
      'three agree: the one in the middle',
      [
        ['2502', 0],
        ['2500', 0],
        ['2501', 0],
      ],
      [],
      available('2501', 'abc'),
    ],
    [
      'half a unit is rounded up',
      [
        ['1.000000000000', 0],
        ['1.000000000001', 0],
      ],
      [],
      available('1.000000000001', 'ab'),
    ],
    [
      '30 s old is fresh',
      [
        ['2500', 30],
        ['2500', 30],
      ],
      [],
      available('2500', 'ab'),
    ],
    [
      'older is not',
      [
        ['2500', 30],
        ['2500', 30.001],
      ],
      [],
      'no-fresh-sources',
    ],
    [
      '5 s ahead of our clock is fresh',
      [
        ['2500', -5],
        ['2500', 0],
      ],
      [],
      available('2500', 'ab'),
    ],
    [
      'further ahead is not',
      [
        ['2500', -5.001],
        ['2500', 0],
      ],
      [],
      'no-fresh-sources',
    ],
    [
      'a stale one has no vote',
      [
        ['2500', 0],
        ['2502', 0],
        ['2400', 31],
      ],
      [],
      available('2501', 'ab'),
    ],
    [
      'a liar is dropped',
      [
        ['2500', 0],
        ['2625', 0],
        ['2502', 0],
      ],
      [],
      available('2501', 'ac'),
    ],
    [
      'exactly 2 % away stays',
      [
        ['100', 0],
        ['102', 0],
        ['100', 0],
      ],
      [],
      available('100', 'abc'),
    ],
    [
      'just beyond goes',
      [
        ['100', 0],
        ['102.000000000001', 0],
        ['100', 0],
      ],
      [],
      available('100', 'ac'),
    ],
    [
      'two of whom one lies: nobody knows which',
      [
        ['2500', 0],
        ['2625', 0],
      ],
      [],
      'sources-disagree',
    ],
    [
      'three who all differ',
      [
        ['100', 0],
        ['110', 0],
        ['120', 0],
      ],
      [],
      'sources-disagree',
    ],
    [
      'two pairs that differ',
      [
        ['100', 0],
        ['100', 0],
        ['105', 0],
        ['105', 0],
      ],
      [],
      'sources-disagree',
    ],
    [
      'up by exactly 10 % is no jump',
      [
        ['110', 0],
        ['110', 0],
      ],
      [['100', 5]],
      available('110', 'ab'),
    ],
    [
      'up by more is',
      [
        ['110.01', 0],
        ['110.01', 0],
      ],
      [['100', 5]],
      'jumped',
    ],
    [
      'down by more is',
      [
        ['89.99', 0],
        ['89.99', 0],
      ],
      [['100', 5]],
      'jumped',
    ],
    [
      '60 s ago still counts',
      [
        ['120', 0],
        ['120', 0],
      ],
      [['100', 60]],
      'jumped',
    ],
    [
      'longer ago does not',
      [
        ['120', 0],
        ['120', 0],
      ],
      [['100', 60.001]],
      available('120', 'ab'),
    ],
    [
      'any moment within the minute counts',
      [
        ['109', 0],
        ['109', 0],
      ],
      [
        ['108', 5],
        ['98', 50],
      ],
      'jumped',
    ],
    [
      'a slow rise is no jump',
      [
        ['109', 0],
        ['109', 0],
      ],
      [
        ['108', 5],
        ['100', 50],
      ],
      available('109', 'ab'),
    ],
  ])('the price of a coin: %s', (_rule, said, past, expected) => {
    expect(outcome(decidePrice('ETH', reportsOf('ETH', said), historyOf('ETH', past), NOW))).toBe(expected);
  });

  test('the price of a coin is decided by reports and history of its own', () => {
    const reports = [
      ...reportsOf('ETH', [['2500', 0]]),
      ...reportsOf('SOL', [
        ['2500', 0],
        ['2500', 0],
      ]),
    ];
    expect(outcome(decidePrice('ETH', reports, [], NOW))).toBe('no-fresh-sources');
    expect(outcome(decidePrice('SOL', reports, historyOf('ETH', [['100', 1]]), NOW))).toBe(available('2500', 'ab'));
  });

  test('a price needs two sources, not two reports of one; its latest counts', () => {
    const twice = reportsOf('ETH', [
      ['2400', 2],
      ['2500', 1],
    ]).map((one) => Object.assign(one, { source: 'a' }));
    expect(outcome(decidePrice('ETH', twice, [], NOW))).toBe('no-fresh-sources');
    const another: TokenReport = { token: 'ETH', source: 'b', priceUnits: units('2500'), at: NOW };
    expect(outcome(decidePrice('ETH', [...twice, another], [], NOW))).toBe(available('2500', 'ab'));
  });

  test('a price lists its sources, with their values and times', () => {
    const reports = reportsOf('ETH', [
      ['2500', 3],
      ['2502', 4],
      ['3000', 0],
    ]);
    expect(decidePrice('ETH', reports, [], NOW)).toEqual({
      available: true,
      priceUnits: units('2501'),
      sources: [
        { source: 'a', priceUnits: units('2500'), at: ago(3) },
        { source: 'b', priceUnits: units('2502'), at: ago(4) },
      ],
      decidedAt: NOW,
    });
  });
});

describe.each<PricedToken>(['USDT', 'USDC'])('%s', (token) => {
  test.each<[string, string[], string]>([
    ['at its peg', ['1', '1'], available('1', 'ab')],
    ['0.4 % below', ['0.996', '0.996'], available('1', 'ab')],
    ['exactly 0.5 % below', ['0.995', '0.995'], available('1', 'ab')],
    ['exactly 0.5 % above', ['1.005', '1.005'], available('1', 'ab')],
    ['0.6 % below is worth what the market says', ['0.994', '0.994'], available('0.994', 'ab')],
    ['0.6 % above', ['1.006', '1.006'], available('1.006', 'ab')],
    ['just beyond 0.5 %', ['0.994999999999', '0.994999999999'], available('0.994999999999', 'ab')],
    ['the median counts, not a single source', ['0.99', '1', '1'], available('1', 'abc')],
    ['exactly 3 % below', ['0.97', '0.97'], available('0.97', 'ab')],
    ['3.1 % below', ['0.969', '0.969'], 'depegged'],
    ['3.1 % above', ['1.031', '1.031'], 'depegged'],
    ['one source alone does not prove the peg', ['1'], 'no-fresh-sources'],
    ['sources that differ do not prove it either', ['1', '0.95'], 'sources-disagree'],
  ])('the price of a stablecoin: %s', (_rule, prices, expected) => {
    const reports = reportsOf(
      token,
      prices.map((usd) => [usd, 0]),
    );
    expect(outcome(decidePrice(token, reports, [], NOW))).toBe(expected);
  });

  test('a stablecoin that comes back to its peg has no price for a minute', () => {
    const reports = reportsOf(token, [
      ['1', 0],
      ['1', 0],
    ]);
    expect(outcome(decidePrice(token, reports, historyOf(token, [['0.88', 60]]), NOW))).toBe('jumped');
    expect(outcome(decidePrice(token, reports, historyOf(token, [['0.88', 61]]), NOW))).toBe(available('1', 'ab'));
  });
});

describe('USD per USDT', () => {
  test.each<[string, Said[], { usd: string; ageSeconds: number } | undefined]>([
    [
      'is the median where sources agree',
      [
        ['0.998', 3],
        ['1', 5],
      ],
      { usd: '0.999', ageSeconds: 3 },
    ],
    [
      'is the market price also without a peg',
      [
        ['0.9', 0],
        ['0.9', 0],
      ],
      { usd: '0.9', ageSeconds: 0 },
    ],
    [
      'is taken from one source alone while it says that the peg holds',
      [['1.004', 7]],
      { usd: '1.004', ageSeconds: 7 },
    ],
    ['is not taken from one source alone otherwise', [['0.994', 0]], undefined],
    ['is not taken from a stale source', [['1', 31]], undefined],
    [
      'is taken from the one at the peg where two differ',
      [
        ['1.05', 0],
        ['1', 4],
      ],
      { usd: '1', ageSeconds: 4 },
    ],
    ['is unknown when nobody says it', [], undefined],
  ])('%s', (_rule, said, expected) => {
    const rate = decideUsdtRate(reportsOf('USDT', said), NOW);
    expect(rate).toEqual(expected && { priceUnits: units(expected.usd), at: ago(expected.ageSeconds) });
  });
});

test.each([
  ['half up', 1n, 2_000_000_000_000n, 1n],
  ['less than half is nothing, and nothing is no price', 1n, 2_000_000_000_001n, undefined],
  ['a third', 1n, 3n, 333_333_333_333n],
  ['a billion USD', 1_000_000_000n, 1n, 10n ** 21n],
  ['more than any token costs', 1_000_000_001n, 1n, undefined],
])('quantising: %s', (_rule, numerator, denominator, expected) => {
  expect(quantizePrice({ numerator, denominator })).toBe(expected);
});

describe('whatever the sources say', () => {
  const said = fc.record({
    token: fc.constantFrom(...PRICED_TOKENS),
    source: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    // Prices near one USD, so that many agree, with odd digits to the last, so that a float would be noticed.
    priceUnits: fc.bigInt({ min: 960_000_000_001n, max: 1_040_000_000_001n }),
    at: fc.integer({ min: -40, max: 10 }).map((seconds) => ago(-seconds)),
  });
  const past = fc.record({
    token: fc.constantFrom(...PRICED_TOKENS),
    priceUnits: fc.bigInt({ min: 900_000_000_000n, max: 1_100_000_000_000n }),
    decidedAt: fc.integer({ min: 0, max: 90 }).map(ago),
  });
  const many = fc.array(said, { maxLength: 40 });
  const history = fc.array(past, { maxLength: 4 });

  test('the order of the reports makes no difference', () => {
    fc.assert(
      fc.property(many, history, fc.infiniteStream(fc.nat()), (reports, before, draws) => {
        const shuffled = reports
          .map((report) => ({ report, draw: draws.next().value }))
          .sort((left, right) => left.draw - right.draw)
          .map(({ report }) => report);
        for (const token of PRICED_TOKENS) {
          expect(decidePrice(token, shuffled, before.toReversed(), NOW)).toEqual(
            decidePrice(token, reports, before, NOW),
          );
        }
      }),
    );
  });

  test('a price lies between the lowest and the highest fresh report, and two sources stand behind it', () => {
    fc.assert(
      fc.property(many, history, (reports, before) => {
        const decision = decidePrice('ETH', reports, before, NOW);
        if (!decision.available) return;
        const fresh = reports
          .filter((one) => one.token === 'ETH' && NOW.getTime() - one.at.getTime() <= MAX_REPORT_AGE_MS)
          .map((one) => one.priceUnits);
        expect(fresh.some((one) => one <= decision.priceUnits)).toBe(true);
        expect(fresh.some((one) => one >= decision.priceUnits)).toBe(true);
        expect(new Set(decision.sources.map((one) => one.source)).size).toBeGreaterThanOrEqual(2);
        expect(findAgreedMedian('ETH', reports, NOW)?.priceUnits).toBe(decision.priceUnits);
      }),
    );
  });

  test('no digit is lost: sources that say the same are believed to the last unit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 21n }), fc.integer({ min: 2, max: 8 }), (priceUnits, count) => {
        const reports = Array.from({ length: count }, (_, position): TokenReport => {
          return { token: 'ETH', source: `source-${position}`, priceUnits, at: NOW };
        });
        const decision = decidePrice('ETH', reports, [], NOW);
        expect(decision.available && decision.priceUnits).toBe(priceUnits);
      }),
    );
  });

  test('one liar among three moves the price by no more than the honest ones differ', () => {
    const near = fc.bigInt({ min: 999_000_000_001n, max: 1_001_000_000_001n });
    fc.assert(
      fc.property(near, near, fc.bigInt({ min: 1n, max: 10n ** 21n }), (first, second, lie) => {
        const reports = [first, second, lie].map((priceUnits, position): TokenReport => {
          return { token: 'ETH', source: `source-${position}`, priceUnits, at: NOW };
        });
        const decision = decidePrice('ETH', reports, [], NOW);
        if (!decision.available) throw new Error(decision.reason);
        expect(decision.priceUnits).toBeGreaterThanOrEqual(first < second ? first : second);
        expect(decision.priceUnits).toBeLessThanOrEqual(first < second ? second : first);
      }),
    );
  });
});
