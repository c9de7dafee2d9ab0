import { divideHalfUp } from '@counterfoil/core/amount.ts';

/** The median of independent sources, without those that differ from it. */

export const MIN_SOURCES = 2;
const PERMILLE = 1_000n;

export type SourcePrice = { source: string; priceUnits: bigint; at: Date };

/** One price per source: its latest, or the lower of two at the same moment. */
export function latestPerSource(prices: readonly SourcePrice[]): SourcePrice[] {
  const bySource = new Map<string, SourcePrice>();
  for (const { source, priceUnits, at } of prices) {
    const other = bySource.get(source);
    const laterMs = other ? at.getTime() - other.at.getTime() : 1;
    if (!other || laterMs > 0 || (laterMs === 0 && priceUnits < other.priceUnits)) {
      bySource.set(source, { source, priceUnits, at });
    }
  }
  return [...bySource.values()].sort((left, right) => (left.source < right.source ? -1 : 1));
}

export function withoutOutliers(prices: readonly SourcePrice[], permille: bigint): SourcePrice[] {
  if (prices.length === 0) return [];
  const doubled = doubledMedian(prices);
  return prices.filter((one) => !strays(2n * one.priceUnits, doubled, permille));
}

/** Doubled, because a median may lie on half a unit. */
export function doubledMedian(prices: readonly SourcePrice[]): bigint {
  const sorted = prices.map((one) => one.priceUnits).sort((left, right) => (left < right ? -1 : 1));
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  const upper = sorted[Math.floor(sorted.length / 2)];
  if (lower === undefined || upper === undefined) throw new Error('Nothing has no median.');
  return lower + upper;
}

export function halve(doubled: bigint): bigint {
  return divideHalfUp(doubled, 2n);
}

export function strays(value: bigint, reference: bigint, permille: bigint): boolean {
  const distance = value > reference ? value - reference : reference - value;
  return distance * PERMILLE > reference * permille;
}
