import { parseDecimal } from '@counterfoil/core/amount.ts';
import { expect, test } from 'vitest';
import type { PriceDecision } from './price.ts';
import { PRICE_DECIMALS } from './price.ts';
import { judgePrices } from './price-status.ts';

const NOW = new Date(Date.UTC(2026, 10, 15, 12));
const units = (usd: string) => parseDecimal(usd, PRICE_DECIMALS) ?? -1n;
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

/** Price and age in seconds of each source: a, b, c. */
type Said = [usd: string, ageSeconds: number][];

const reasonOf = (decision: PriceDecision | undefined) =>
  decision?.available === false ? decision.reason : 'available';

test.each<[string, Said, string, (string | undefined)[]]>([
  [
    'two that agree',
    [
      ['2500', 0],
      ['2501', 30],
    ],
    'available',
    [undefined, undefined],
  ],
  [
    'an old one',
    [
      ['2500', 0],
      ['2501', 1],
      ['2500', 30.001],
    ],
    'available',
    [undefined, undefined, 'too-old'],
  ],
  [
    'one ahead of our clock',
    [
      ['2500', 0],
      ['2501', 1],
      ['2500', -5.001],
    ],
    'available',
    [undefined, undefined, 'ahead-of-clock'],
  ],
  [
    'an outlier',
    [
      ['2500', 0],
      ['2501', 1],
      ['2600', 1],
    ],
    'available',
    [undefined, undefined, 'outlier'],
  ],
  [
    'one alone',
    [
      ['2500', 0],
      ['2501', 31],
    ],
    'no-fresh-sources',
    ['no-fresh-sources', 'too-old'],
  ],
  [
    'two that differ',
    [
      ['2500', 0],
      ['2700', 0],
    ],
    'sources-disagree',
    ['sources-disagree', 'sources-disagree'],
  ],
])('the status of a price says why a source is not in use: %s', (_rule, said, reason, unused) => {
  const reports = said.map(([usd, seconds], place) => ({
    token: 'ETH' as const,
    source: 'abc'.charAt(place),
    priceUnits: units(usd),
    at: ago(seconds),
  }));
  const [status] = judgePrices(['ETH'], { reports, history: [] }, NOW);
  expect([reasonOf(status?.decision), status?.sources.map((one) => one.unused)]).toEqual([reason, unused]);
});

test('the status of a price names a source that reports other tokens only', () => {
  const reports = [{ token: 'SOL' as const, source: 'a', priceUnits: units('150'), at: NOW }];
  const statuses = judgePrices(['ETH', 'SOL'], { reports, history: [] }, NOW);
  expect(statuses.map(({ sources }) => sources)).toMatchObject([
    [{ source: 'a', unused: 'no-report', report: undefined }],
    [{ source: 'a', unused: 'no-fresh-sources', report: { priceUnits: units('150') } }],
  ]);
});

test('the status of a price that jumped names the jump at every source', () => {
  const reports = ['a', 'b'].map((source) => ({ token: 'ETH' as const, source, priceUnits: units('2500'), at: NOW }));
  const history = [{ token: 'ETH' as const, priceUnits: units('2000'), decidedAt: ago(10) }];
  const [status] = judgePrices(['ETH'], { reports, history }, NOW);
  expect(status?.sources.map(({ unused }) => unused)).toEqual(['jumped', 'jumped']);
});
