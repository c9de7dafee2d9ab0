import { divideHalfUp } from '@counterfoil/core/amount.ts';
import type { SourcePrice } from './guarded-median.ts';
import { doubledMedian, halve, latestPerSource, MIN_SOURCES, strays, withoutOutliers } from './guarded-median.ts';
import type { Ratio } from './ratio.ts';

/** Price rules: what a token costs, or why it has no price, from reports, history and time. */

export const PRICED_TOKENS = ['BNB', 'ETH', 'SOL', 'TRX', 'POL', 'AVAX', 'USDT', 'USDC'] as const;
export type PricedToken = (typeof PRICED_TOKENS)[number];

/** A price is a whole number of 10^-12 USD for one token. */
export const PRICE_DECIMALS = 12;
const ONE_USD = 10n ** BigInt(PRICE_DECIMALS);
/** Higher numbers are a fault of the source and would not fit the column. */
const MAX_PRICE_UNITS = 1_000_000_000n * ONE_USD;

const STABLECOINS: ReadonlySet<PricedToken> = new Set<PricedToken>(['USDT', 'USDC']);

export const MAX_REPORT_AGE_MS = 30_000;
/** How far a report may be ahead of our clock: further ahead, it would stay fresh for too long. */
export const MAX_REPORT_AHEAD_MS = 5_000;
export const JUMP_WINDOW_MS = 60_000;

const OUTLIER_PERMILLE = 20n;
const JUMP_PERMILLE = 100n;
const PEG_PERMILLE = 5n;
const DEPEG_PERMILLE = 30n;

/** The report of a source about a token, or about a currency. */
export type TokenReport<Asset extends string = PricedToken> = SourcePrice & { token: Asset };
/** A median on which the sources agreed in the past. */
export type PastPrice<Asset extends string = PricedToken> = { token: Asset; priceUnits: bigint; decidedAt: Date };

type PriceUnavailable = 'no-fresh-sources' | 'sources-disagree' | 'jumped' | 'depegged';
export type PriceDecision =
  | { available: true; priceUnits: bigint; sources: SourcePrice[]; decidedAt: Date }
  | { available: false; reason: PriceUnavailable };

export function decidePrice(
  token: PricedToken,
  reports: readonly TokenReport[],
  history: readonly PastPrice[],
  now: Date,
): PriceDecision {
  const fresh = freshPrices(token, reports, now);
  if (fresh.length < MIN_SOURCES) return { available: false, reason: 'no-fresh-sources' };
  const sources = withoutOutliers(fresh, OUTLIER_PERMILLE);
  if (sources.length < MIN_SOURCES) return { available: false, reason: 'sources-disagree' };
  const doubled = doubledMedian(sources);
  if (isStable(token) && strays(doubled, 2n * ONE_USD, DEPEG_PERMILLE)) return { available: false, reason: 'depegged' };
  if (hasJumped(token, doubled, history, now)) return { available: false, reason: 'jumped' };
  const holdsPeg = isStable(token) && !strays(doubled, 2n * ONE_USD, PEG_PERMILLE);
  return { available: true, priceUnits: holdsPeg ? ONE_USD : halve(doubled), sources, decidedAt: now };
}

/** The median of agreeing sources, regardless of other rules, for the price history. */
export function findAgreedMedian(
  token: PricedToken,
  reports: readonly TokenReport[],
  now: Date,
): { priceUnits: bigint; at: Date } | undefined {
  const sources = withoutOutliers(freshPrices(token, reports, now), OUTLIER_PERMILLE);
  return sources.length < MIN_SOURCES ? undefined : summarize(sources);
}

/**
 * USD per USDT, to convert prices. A single source counts only near one USD: its fault would otherwise change the
 * prices of the sources that check it.
 */
export function decideUsdtRate(
  reports: readonly TokenReport[],
  now: Date,
): { priceUnits: bigint; at: Date } | undefined {
  const agreed = findAgreedMedian('USDT', reports, now);
  if (agreed) return agreed;
  const pegged = freshPrices('USDT', reports, now).filter((one) => !strays(one.priceUnits, ONE_USD, PEG_PERMILLE));
  return pegged.length === 0 ? undefined : summarize(pegged);
}

/** A price in whole units, rounded half up; undefined at zero or above the limit. */
export function quantizePrice(ratio: Ratio): bigint | undefined {
  const units = divideHalfUp(ratio.numerator * ONE_USD, ratio.denominator);
  return units > 0n && units <= MAX_PRICE_UNITS ? units : undefined;
}

export function ratioOfUnits(priceUnits: bigint): Ratio {
  return { numerator: priceUnits, denominator: ONE_USD };
}

function isFresh(at: Date, now: Date): boolean {
  const ageMs = now.getTime() - at.getTime();
  return ageMs <= MAX_REPORT_AGE_MS && ageMs >= -MAX_REPORT_AHEAD_MS;
}

function freshPrices(token: PricedToken, reports: readonly TokenReport[], now: Date): SourcePrice[] {
  return latestPerSource(reports.filter((one) => one.token === token && isFresh(one.at, now)));
}

function hasJumped(token: PricedToken, doubled: bigint, history: readonly PastPrice[], now: Date): boolean {
  return history.some(
    (past) =>
      past.token === token &&
      now.getTime() - past.decidedAt.getTime() <= JUMP_WINDOW_MS &&
      strays(doubled, 2n * past.priceUnits, JUMP_PERMILLE),
  );
}

function isStable(token: PricedToken): boolean {
  return STABLECOINS.has(token);
}

/** The median, with the time of the newest price. */
function summarize(prices: readonly SourcePrice[]): { priceUnits: bigint; at: Date } {
  const newestMs = Math.max(...prices.map((one) => one.at.getTime()));
  return { priceUnits: halve(doubledMedian(prices)), at: new Date(newestMs) };
}
