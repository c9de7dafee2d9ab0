import { percentile } from './percentile.ts';

/** Gaps between the times at which something happened, per name, as a caller notes them. */

export type Gaps = {
  /** Notes the time of the last occurrence of a name; a time that was noted before is ignored. */
  note(name: string, atMs: number): void;
  /** The gap that 99 of 100 gaps do not exceed. */
  p99Ms(name?: string): number;
};

const P99 = 0.99;

export function watchGaps(): Gaps {
  const lastMs = new Map<string, number>();
  const gaps = new Map<string, number[]>();
  return {
    note: (name, atMs) => {
      const before = lastMs.get(name);
      if (before !== undefined && atMs > before) gaps.set(name, [...(gaps.get(name) ?? []), atMs - before]);
      lastMs.set(name, Math.max(before ?? 0, atMs));
    },
    p99Ms: (name) => percentile(name === undefined ? [...gaps.values()].flat() : (gaps.get(name) ?? []), P99),
  };
}
