import { divideHalfUp } from '../lib/amount.ts';
import type { Ratio } from './ratio.ts';

/** Price rules, pure: they decide from reports, history and time what a token costs, or why it has no price now. */

export const PRICED_TOKENS = ['BNB', 'ETH', 'SOL', 'TRX', 'POL', 'AVAX', 'USDT', 'USDC'] as const;
export type PricedToken = (typeof PRICED_TOKENS)[number];

/** Decimals of a price, which is a whole number of 10^-12 USD for one whole token. */
export const PRICE_DECIMALS = 12;
const ONE_USD = 10n ** BigInt(PRICE_DECIMALS);
/** The highest price that is accepted: a larger number is a fault of its price source and would not fit its column. */
const MAX_PRICE_UNITS = 1_000_000_000n * ONE_USD;

const STABLECOINS: ReadonlySet<PricedToken> = new Set<PricedToken>(['USDT', 'USDC']);

export const MAX_REPORT_AGE_MS = 30_000;
/** How far the time of a report may be ahead of our clock: a report further ahead would count as fresh for too long. */
export const MAX_REPORT_AHEAD_MS = 5_000;
export const JUMP_WINDOW_MS = 60_000;
const MIN_SOURCES = 2;

const PERMILLE = 1_000n;
const OUTLIER_PERMILLE = 20n;
const JUMP_PERMILLE = 100n;
const PEG_PERMILLE = 5n;
const DEPEG_PERMILLE = 30n;

/** The price of a token at one price source. */
export type SourcePrice = { source: string; priceUnits: bigint; at: Date };
export type TokenReport = SourcePrice & { token: PricedToken };
/** A median that the price sources agreed on at some time in the past. */
export type PastPrice = { token: PricedToken; priceUnits: bigint; decidedAt: Date };

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
  const sources = withoutOutliers(fresh);
  if (sources.length < MIN_SOURCES) return { available: false, reason: 'sources-disagree' };
  const doubled = doubledMedian(sources);
  if (isStable(token) && strays(doubled, 2n * ONE_USD, DEPEG_PERMILLE)) return { available: false, reason: 'depegged' };
  if (hasJumped(token, doubled, history, now)) return { available: false, reason: 'jumped' };
  const holdsPeg = isStable(token) && !strays(doubled, 2n * ONE_USD, PEG_PERMILLE);
  return { available: true, priceUnits: holdsPeg ? ONE_USD : halve(doubled), sources, decidedAt: now };
}

/**
 * The median of the price sources that agree, whatever the other price rules say; it is stored as the price history.
 */
export function findAgreedMedian(
  token: PricedToken,
  reports: readonly TokenReport[],
  now: Date,
): { priceUnits: bigint; at: Date } | undefined {
  const sources = withoutOutliers(freshPrices(token, reports, now));
  return sources.length < MIN_SOURCES ? undefined : summarize(sources);
}

/**
 * The rate of USDT in USD, by which prices quoted in USDT are converted. A single price source counts only while it
 * shows USDT near one USD: otherwise its own fault would change the prices of the other sources, which are meant to
 * check it.
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

/** A price in whole units, rounded half up; undefined when it is zero, or higher than the highest accepted price. */
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

/**
 * The fresh prices of a token, one for each price source so that no source counts twice: its latest price, or the lower
 * of two prices of one moment.
 */
function freshPrices(token: PricedToken, reports: readonly TokenReport[], now: Date): SourcePrice[] {
  const bySource = new Map<string, SourcePrice>();
  for (const { source, priceUnits, at, token: reported } of reports) {
    if (reported !== token || !isFresh(at, now)) continue;
    const other = bySource.get(source);
    const laterMs = other ? at.getTime() - other.at.getTime() : 1;
    if (!other || laterMs > 0 || (laterMs === 0 && priceUnits < other.priceUnits)) {
      bySource.set(source, { source, priceUnits, at });
    }
  }
  return [...bySource.values()].sort((left, right) => (left.source < right.source ? -1 : 1));
}

function withoutOutliers(prices: readonly SourcePrice[]): SourcePrice[] {
  if (prices.length === 0) return [];
  const doubled = doubledMedian(prices);
  return prices.filter((one) => !strays(2n * one.priceUnits, doubled, OUTLIER_PERMILLE));
}

/** The median, doubled so that it is a whole number: between two prices it may lie on half a unit. */
function doubledMedian(prices: readonly SourcePrice[]): bigint {
  const sorted = prices.map((one) => one.priceUnits).sort((left, right) => (left < right ? -1 : 1));
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  const upper = sorted[Math.floor(sorted.length / 2)];
  if (lower === undefined || upper === undefined) throw new Error('Nothing has no median.');
  return lower + upper;
}

function hasJumped(token: PricedToken, doubled: bigint, history: readonly PastPrice[], now: Date): boolean {
  return history.some(
    (past) =>
      past.token === token &&
      now.getTime() - past.decidedAt.getTime() <= JUMP_WINDOW_MS &&
      strays(doubled, 2n * past.priceUnits, JUMP_PERMILLE),
  );
}

function strays(value: bigint, reference: bigint, permille: bigint): boolean {
  const distance = value > reference ? value - reference : reference - value;
  return distance * PERMILLE > reference * permille;
}

function isStable(token: PricedToken): boolean {
  return STABLECOINS.has(token);
}

function halve(doubled: bigint): bigint {
  return divideHalfUp(doubled, 2n);
}

/** The median of prices, with the time of the newest price: until that time the median is known to hold. */
function summarize(prices: readonly SourcePrice[]): { priceUnits: bigint; at: Date } {
  const newestMs = Math.max(...prices.map((one) => one.at.getTime()));
  return { priceUnits: halve(doubledMedian(prices)), at: new Date(newestMs) };
}
