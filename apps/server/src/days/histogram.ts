import { SECOND_MS } from '@counterfoil/core/duration.ts';

/** Counts of durations by fixed buckets, so that days can be added. The edges never change. */

export const EDGES_SECONDS = [1, 2, 3, 5, 8, 13, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1_800, 3_600, 21_600] as const;

export const SPANS = EDGES_SECONDS.length + 1;

export function addCounts(all: readonly (readonly number[])[]): number[] {
  return Array.from({ length: SPANS }, (_none, place) => all.reduce((sum, counts) => sum + (counts[place] ?? 0), 0));
}

/**
 * The duration that a share does not exceed, in ms; null without any. Durations are assumed to be evenly spread in a
 * bucket; the last one has no end, so its start is used.
 */
export function readShare(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = share * total;
  let below = 0;
  for (const [place, count] of counts.entries()) {
    if (count > 0 && below + count >= wanted) {
      const from = place === 0 ? 0 : (EDGES_SECONDS[place - 1] ?? 0);
      const to = EDGES_SECONDS[place] ?? from;
      return Math.round((from + ((to - from) * (wanted - below)) / count) * SECOND_MS);
    }
    below += count;
  }
  return (EDGES_SECONDS.at(-1) ?? 0) * SECOND_MS;
}
