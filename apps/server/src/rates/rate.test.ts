import { parseDecimal } from '@counterfoil/core/amount.ts';
import { expect, test } from 'vitest';
import { fc } from '../../rig/fakes/seeded-properties.ts';
import { PRICE_DECIMALS } from '../prices/price.ts';
import type { RatedCurrency, RateFacts } from './rate.ts';
import {
  convertToUsd,
  decideRate,
  MAX_BOUND_AGE_MS,
  MAX_RATE_AGE_MS,
  MAX_UNCHANGED_MS,
  RATED_CURRENCIES,
} from './rate.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A Wednesday. */
const NOW = new Date('2026-11-18T12:00:00Z');
const units = (usd: string) => parseDecimal(usd, PRICE_DECIMALS) ?? -1n;

type Said = { source: string; usd: string; ageMs?: number; unchangedMs?: number };

function factsOf(currency: RatedCurrency, said: readonly Said[], past: RateFacts['history'] = []): RateFacts {
  const reports = said.map(({ source, usd, ageMs = 0, unchangedMs = ageMs }) => ({
    source,
    token: currency,
    priceUnits: units(usd),
    at: new Date(NOW.getTime() - ageMs),
    changedAt: new Date(NOW.getTime() - unchangedMs),
  }));
  return { reports, history: past };
}

const ECB: Said = { source: 'ecb', usd: '1.10', ageMs: DAY_MS };
const outcomeOf = (currency: RatedCurrency, facts: RateFacts, now = NOW) => {
  const decision = decideRate(currency, facts, now);
  return decision.available ? decision.sources.map(({ source }) => source).join('') : decision.reason;
};

const reportedAt = (source: string, at: string) => ({
  source,
  token: 'EUR' as const,
  priceUnits: units('1.10'),
  at: new Date(at),
  changedAt: new Date(at),
});

const answering = (source: string, changedAt: string, now: string) => ({
  source,
  token: 'EUR' as const,
  priceUnits: units('1.10'),
  at: new Date(now),
  changedAt: new Date(changedAt),
});

test.each<[string, Said[], string]>([
  ['two sources that agree', [{ source: 'a', usd: '1.10' }, { source: 'b', usd: '1.101' }, ECB], 'ab'],
  ['one source alone', [{ source: 'a', usd: '1.10' }, ECB], 'currency-off'],
  ['the ECB is no source', [{ source: 'a', usd: '1.10' }, ECB, { ...ECB }], 'currency-off'],
  ['two sources 1 % apart', [{ source: 'a', usd: '1.10' }, { source: 'b', usd: '1.111' }, ECB], 'ab'],
  [
    'two sources further apart',
    [{ source: 'a', usd: '1.10' }, { source: 'b', usd: '1.1112' }, ECB],
    'sources-disagree',
  ],
  ['one of two 5 % off', [{ source: 'a', usd: '1.10' }, { source: 'b', usd: '1.155' }, ECB], 'sources-disagree'],
  [
    'one of three 5 % off',
    [{ source: 'a', usd: '1.10' }, { source: 'b', usd: '1.155' }, { source: 'c', usd: '1.1005' }, ECB],
    'ac',
  ],
  ['one of two inverted', [{ source: 'a', usd: '1.10' }, { source: 'b', usd: '0.909090909' }, ECB], 'sources-disagree'],
  ['both inverted', [{ source: 'a', usd: '0.909' }, { source: 'b', usd: '0.909' }, ECB], 'out-of-bounds'],
  ['both 5 % off', [{ source: 'a', usd: '1.155' }, { source: 'b', usd: '1.155' }, ECB], 'ab'],
  ['both more than 5 % off', [{ source: 'a', usd: '1.1551' }, { source: 'b', usd: '1.1551' }, ECB], 'out-of-bounds'],
  [
    'no reference rate',
    [
      { source: 'a', usd: '1.10' },
      { source: 'b', usd: '1.10' },
    ],
    'no-bound',
  ],
  [
    'a reference rate of six days',
    [
      { source: 'a', usd: '1.10' },
      { source: 'b', usd: '1.10' },
      { ...ECB, ageMs: MAX_BOUND_AGE_MS },
    ],
    'ab',
  ],
  [
    'an older reference rate',
    [
      { source: 'a', usd: '1.10' },
      { source: 'b', usd: '1.10' },
      { ...ECB, ageMs: MAX_BOUND_AGE_MS + 1 },
    ],
    'no-bound',
  ],
  [
    'a dead source',
    [{ source: 'a', usd: '1.10' }, { source: 'b', usd: '1.10', ageMs: MAX_RATE_AGE_MS + 1 }, ECB],
    'no-fresh-sources',
  ],
  [
    'a source at its age limit',
    [{ source: 'a', usd: '1.10' }, { source: 'b', usd: '1.10', ageMs: MAX_RATE_AGE_MS }, ECB],
    'ab',
  ],
  [
    'an hourly source',
    [{ source: 'a', usd: '1.10' }, { source: 'openexchangerates', usd: '1.10', ageMs: 65 * MINUTE_MS }, ECB],
    'aopenexchangerates',
  ],
  [
    'a source that answers the same for six hours',
    [{ source: 'a', usd: '1.10' }, { source: 'b', usd: '1.10', unchangedMs: MAX_UNCHANGED_MS + 1 }, ECB],
    'no-fresh-sources',
  ],
  [
    'a source ahead of the clock',
    [{ source: 'a', usd: '1.10' }, { source: 'b', usd: '1.10', ageMs: -5_001 }, ECB],
    'no-fresh-sources',
  ],
  [
    'a source forgotten after a week',
    [{ source: 'a', usd: '1.10' }, { source: 'b', usd: '1.10', ageMs: 8 * DAY_MS }, ECB],
    'currency-off',
  ],
])('the rate of a currency: %s', (_rule, said, expected) => {
  expect(outcomeOf('EUR', factsOf('EUR', said))).toBe(expected);
});

test('a pegged currency is bounded by its peg, and may stand still', () => {
  const still = { unchangedMs: 3 * DAY_MS };
  const at = (usd: string) =>
    factsOf('AED', [
      { source: 'a', usd, ...still },
      { source: 'b', usd, ...still },
    ]);
  expect(outcomeOf('AED', at('0.2723'))).toBe('ab');
  expect(outcomeOf('AED', at('0.2751'))).toBe('out-of-bounds');
  expect(outcomeOf('AED', at('0.2694'))).toBe('out-of-bounds');
});

test('a rate that jumped by more than 3 % is refused for ten minutes', () => {
  const said = [{ source: 'a', usd: '1.10' }, { source: 'b', usd: '1.10' }, ECB];
  const before = (usd: string, minutes: number) =>
    factsOf('EUR', said, [
      { token: 'EUR', priceUnits: units(usd), decidedAt: new Date(NOW.getTime() - minutes * MINUTE_MS) },
    ]);
  expect(outcomeOf('EUR', before('1.14', 1))).toBe('jumped');
  expect(outcomeOf('EUR', before('1.13', 1))).toBe('ab');
  expect(outcomeOf('EUR', before('1.14', 10.001))).toBe('ab');
});

test('a rate at the close stays fresh over the weekend, and a source that stopped before the close does not', () => {
  const bound = reportedAt('ecb', '2026-11-20T12:00:00Z');
  const closing = [reportedAt('a', '2026-11-20T21:55:00Z'), reportedAt('b', '2026-11-20T21:58:00Z'), bound];
  const stopped = [reportedAt('a', '2026-11-20T21:55:00Z'), reportedAt('b', '2026-11-20T21:30:00Z'), bound];
  const sunday = new Date('2026-11-22T18:00:00Z');
  expect(outcomeOf('EUR', { reports: closing, history: [] }, sunday)).toBe('ab');
  expect(outcomeOf('EUR', { reports: stopped, history: [] }, sunday)).toBe('no-fresh-sources');
  // Ten market minutes after the opening nothing of Friday is left.
  expect(outcomeOf('EUR', { reports: closing, history: [] }, new Date('2026-11-22T22:11:00Z'))).toBe(
    'no-fresh-sources',
  );
});

const withFrozenSource = (now: string) => {
  const bound = answering('ecb', now, '2026-11-20T12:00:00Z');
  const reports = [answering('a', now, now), answering('b', '2026-11-20T21:00:00Z', now), bound];
  return outcomeOf('EUR', { reports, history: [] }, new Date(now));
};

test('a source frozen since Friday is not used on Monday, although it still answers', () => {
  expect(withFrozenSource('2026-11-22T12:00:00Z')).toBe('ab');
  expect(withFrozenSource('2026-11-23T03:01:00Z')).toBe('no-fresh-sources');
});

test.each<[RatedCurrency, bigint, string, bigint]>([
  ['EUR', 5_000n, '1.10', 5_500_000_000n],
  ['JPY', 5_000n, '0.0068', 3_400_000_000n],
  ['KWD', 12_345n, '3.26', 4_024_000_000n],
  ['KWD', 1_500n, '3.25', 488_000_000n],
  ['EUR', 1n, '0.5', 1_000_000n],
  ['EUR', 1n, '0.499999999999', 0n],
])('%s %i at %s is converted with its decimals and rounded half up to cents', (currency, minor, rate, expected) => {
  expect(convertToUsd(minor, currency, units(rate))).toBe(expected);
});

/** ISO 4217, written a second time; all others have two. */
const DECIMALS: Partial<Record<RatedCurrency, number>> = { JPY: 0, KWD: 3 };

/** Long division on decimal digits, which shares no code with the product. */
function expectedCents(minor: string, decimals: number, rate: string): bigint {
  const [whole = '0', fraction = ''] = rate.split('.');
  const product = BigInt(minor) * BigInt(whole + fraction.padEnd(12, '0'));
  const digits = product.toString().padStart(decimals + 12 + 3, '0');
  const point = digits.length - decimals - 12;
  const kept = BigInt(digits.slice(0, point + 2));
  const next = digits.charAt(point + 2);
  return next !== '' && next >= '5' ? kept + 1n : kept;
}

test('10,000 random amounts in all currencies agree with an independent exact computation, to half a cent', () => {
  const rate = fc.tuple(fc.bigInt({ min: 0n, max: 99n }), fc.bigInt({ min: 1n, max: 10n ** 12n - 1n }));
  let compared = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...RATED_CURRENCIES),
      fc.bigInt({ min: 1n, max: 999_999_999_999_999n }),
      rate,
      (currency, minor, [whole, fraction]) => {
        const written = `${whole}.${fraction.toString().padStart(12, '0')}`;
        const converted = convertToUsd(minor, currency, units(written));
        expect(converted).toBe(expectedCents(minor.toString(), DECIMALS[currency] ?? 2, written) * 1_000_000n);
        compared += 1;
      },
    ),
    { numRuns: 10_000 },
  );
  expect(compared).toBe(10_000);
});
