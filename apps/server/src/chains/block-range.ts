/** Blocks per read, by tier or `HEAD`: shrinks when a provider refuses, grows otherwise. */

export type Ranges = Map<string, number>;

export const HEAD = 'head';
const START_RANGE = 50;
const GROWTH = 1.25;

export function grownRange(range: number, blocks: number, maxRange: number): number {
  return blocks < range ? range : Math.min(maxRange, Math.ceil(range * GROWTH));
}

export function shrunkRange(range: number, suggested: number | undefined): number {
  return Math.max(1, Math.min(suggested ?? Number.MAX_SAFE_INTEGER, Math.floor(range / 2)));
}

export const rangeOf = (ranges: Ranges, where: string) => ranges.get(where) ?? START_RANGE;

export function growRange(ranges: Ranges, where: string, blocks: number, maxRange: number): void {
  ranges.set(where, grownRange(rangeOf(ranges, where), blocks, maxRange));
}

/** Shrinks a refused range; false for a single block, which can only be retried later. */
export function shrinkRange(ranges: Ranges, where: string, suggested: number | undefined): boolean {
  const range = rangeOf(ranges, where);
  if (range === 1) return false;
  ranges.set(where, shrunkRange(range, suggested));
  return true;
}
