/**
 * Counts of durations by fixed spans, so that days can be added up and a median read from the sum. Pure. The edges never
 * change: counts are stored without them.
 */

/** Edges between spans, in seconds. A duration on an edge belongs to the span above it. */
export const EDGES_SECONDS = [1, 2, 3, 5, 8, 13, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1_800, 3_600, 21_600] as const;

export const SPANS = EDGES_SECONDS.length + 1;

const MS_PER_SECOND = 1_000;

/** Adds counts place by place; missing places count as 0. */
export function addCounts(all: readonly (readonly number[])[]): number[] {
  return Array.from({ length: SPANS }, (_none, place) => all.reduce((sum, counts) => sum + (counts[place] ?? 0), 0));
}

/**
 * The duration that a share of all durations does not exceed, in milliseconds; null without any. Inside a span the
 * durations are taken to be spread evenly. The last span has no end: its beginning is told.
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
      return Math.round((from + ((to - from) * (wanted - below)) / count) * MS_PER_SECOND);
    }
    below += count;
  }
  return (EDGES_SECONDS.at(-1) ?? 0) * MS_PER_SECOND;
}
