import { DAY_MS, HOUR_MS, MINUTE_MS } from '@counterfoil/core/duration.ts';
import { divideHalfUp } from '@counterfoil/core/amount.ts';
import type { Currency } from '@counterfoil/core/currency.ts';
import { CURRENCIES, CURRENCY_DECIMALS } from '@counterfoil/core/currency.ts';
import { CENT_DECIMALS, USD_UNITS_PER_CENT } from '@counterfoil/core/usd.ts';
import type { SourcePrice } from '../prices/guarded-median.ts';
import {
  doubledMedian,
  halve,
  latestPerSource,
  MIN_SOURCES,
  strays,
  withoutOutliers,
} from '../prices/guarded-median.ts';
import type { PastPrice } from '../prices/price.ts';
import { MAX_REPORT_AHEAD_MS, PRICE_DECIMALS } from '../prices/price.ts';
import type { StoredReport } from '../prices/price-sql.ts';
import { isOlderInMarketTime } from './market-hours.ts';

/** Exchange rate rules: USD for one unit of a currency, or why there is no rate, from reports, history and time. */

export type RatedCurrency = Exclude<Currency, 'USD'>;
export const RATED_CURRENCIES = CURRENCIES.filter((currency) => currency !== 'USD') as RatedCurrency[];

/** The European Central Bank's reference rates; they bound a rate and are never part of it. */
export const BOUND_SOURCE = 'ecb';

/** Units of a currency per USD at which its central bank holds it. The ECB bounds all others. */
const PEGS: Partial<Record<RatedCurrency, { numerator: bigint; denominator: bigint; permille: bigint }>> = {
  // 3.6725 since 1997.
  AED: { numerator: 10_000n, denominator: 36_725n, permille: 10n },
  // About 0.3077, held against a basket.
  KWD: { numerator: 10_000n, denominator: 3_077n, permille: 50n },
};

/** In market time. Open Exchange Rates publishes hourly. */
const MAX_AGE_MS: Readonly<Record<string, number>> = { openexchangerates: 65 * MINUTE_MS };
export const MAX_RATE_AGE_MS = 15 * MINUTE_MS;
/** A source that has reported the same rate for longer, in market time, has stopped. */
export const MAX_UNCHANGED_MS = 6 * HOUR_MS;
/** The ECB publishes on working days; Easter and Christmas last five days at most. */
export const MAX_BOUND_AGE_MS = 6 * DAY_MS;
/** A source that has not reported a currency for longer does not count as one of its sources. */
const FORGOTTEN_MS = 7 * DAY_MS;
export const RATE_JUMP_WINDOW_MS = 10 * MINUTE_MS;

const OUTLIER_PERMILLE = 5n;
const BOUND_PERMILLE = 50n;
const JUMP_PERMILLE = 30n;

/** `currency-off`: fewer than two sources report the currency here. */
export type RateUnavailable =
  | 'currency-off'
  | 'no-fresh-sources'
  | 'sources-disagree'
  | 'no-bound'
  | 'out-of-bounds'
  | 'jumped';

type Bound = { source: string; priceUnits: bigint; at: Date | null };

export type Rate = {
  available: true;
  currency: RatedCurrency;
  /** 10^-12 USD for one unit of the currency. */
  rateUnits: bigint;
  sources: SourcePrice[];
  bound: Bound;
  decidedAt: Date;
};
export type RateDecision = Rate | { available: false; currency: RatedCurrency; reason: RateUnavailable };

export type RateFacts = {
  reports: readonly StoredReport<RatedCurrency>[];
  history: readonly PastPrice<RatedCurrency>[];
};

export function decideRate(currency: RatedCurrency, { reports, history }: RateFacts, now: Date): RateDecision {
  const refuse = (reason: RateUnavailable) => ({ available: false, currency, reason }) as const;
  const known = reports.filter((one) => one.token === currency && !isOlderThan(one.at, now, FORGOTTEN_MS));
  const priced = known.filter(({ source }) => source !== BOUND_SOURCE);
  if (new Set(priced.map(({ source }) => source)).size < MIN_SOURCES) return refuse('currency-off');
  const fresh = latestPerSource(priced.filter((one) => isFresh(one, now)));
  if (fresh.length < MIN_SOURCES) return refuse('no-fresh-sources');
  const sources = withoutOutliers(fresh, OUTLIER_PERMILLE);
  if (sources.length < MIN_SOURCES) return refuse('sources-disagree');
  const doubled = doubledMedian(sources);
  const bound = findBound(currency, known, now);
  if (!bound) return refuse('no-bound');
  if (strays(doubled, 2n * bound.priceUnits, bound.permille)) return refuse('out-of-bounds');
  const jumped = history.some(
    (past) =>
      past.token === currency &&
      !isOlderThan(past.decidedAt, now, RATE_JUMP_WINDOW_MS) &&
      strays(doubled, 2n * past.priceUnits, JUMP_PERMILLE),
  );
  if (jumped) return refuse('jumped');
  const { source, priceUnits, at } = bound;
  const rateUnits = halve(doubled);
  return { available: true, currency, rateUnits, sources, bound: { source, priceUnits, at }, decidedAt: now };
}

/** The median of agreeing sources, regardless of other rules, for the history. */
export function findAgreedRate(currency: RatedCurrency, { reports }: RateFacts, now: Date): bigint | undefined {
  const priced = reports.filter((one) => one.token === currency && one.source !== BOUND_SOURCE);
  const sources = withoutOutliers(latestPerSource(priced.filter((one) => isFresh(one, now))), OUTLIER_PERMILLE);
  return sources.length < MIN_SOURCES ? undefined : halve(doubledMedian(sources));
}

/** Why a report is not used, from its own times; undefined when it is fresh. */
export function findStaleness(
  { source, token, at, changedAt }: StoredReport<RatedCurrency>,
  now: Date,
): 'too-old' | 'ahead-of-clock' | 'frozen' | undefined {
  if (at.getTime() > now.getTime() + MAX_REPORT_AHEAD_MS) return 'ahead-of-clock';
  if (isOlderInMarketTime(at, now, MAX_AGE_MS[source] ?? MAX_RATE_AGE_MS)) return 'too-old';
  // A pegged currency may stand still for years.
  return PEGS[token] === undefined && isOlderInMarketTime(changedAt, now, MAX_UNCHANGED_MS) ? 'frozen' : undefined;
}

const isFresh = (report: StoredReport<RatedCurrency>, now: Date) => findStaleness(report, now) === undefined;

const isOlderThan = (at: Date, now: Date, limitMs: number) => now.getTime() - at.getTime() > limitMs;

function findBound(
  currency: RatedCurrency,
  reports: RateFacts['reports'],
  now: Date,
): (Bound & { permille: bigint }) | undefined {
  const peg = PEGS[currency];
  if (peg) {
    const priceUnits = divideHalfUp(peg.numerator * 10n ** BigInt(PRICE_DECIMALS), peg.denominator);
    return { source: 'peg', priceUnits, at: null, permille: peg.permille };
  }
  const report = reports.find(({ source, at }) => source === BOUND_SOURCE && !isOlderThan(at, now, MAX_BOUND_AGE_MS));
  return report && { source: BOUND_SOURCE, priceUnits: report.priceUnits, at: report.at, permille: BOUND_PERMILLE };
}

/** USD units of an amount in a currency's smallest units, rounded half up to cents. */
export function convertToUsd(minorUnits: bigint, currency: RatedCurrency, rateUnits: bigint): bigint {
  const decimals = CURRENCY_DECIMALS[currency] + PRICE_DECIMALS - CENT_DECIMALS;
  return divideHalfUp(minorUnits * rateUnits, 10n ** BigInt(decimals)) * USD_UNITS_PER_CENT;
}
