/**
 * How many blocks one read asks for. A range shrinks when a provider refuses it and grows when none does. Second reads
 * have a range for each tier; first reads have the range named `HEAD`.
 */

export type Ranges = Map<string, number>;

export const HEAD = 'head';
const START_RANGE = 50;
const GROWTH = 1.25;

/**
 * The next range after `blocks` were read: grows only after a read of a full range, not after a shorter one at the
 * chain's end.
 */
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

/** Makes a refused range smaller; false when it is a single block, which can only be tried later. */
export function shrinkRange(ranges: Ranges, where: string, suggested: number | undefined): boolean {
  const range = rangeOf(ranges, where);
  if (range === 1) return false;
  ranges.set(where, shrunkRange(range, suggested));
  return true;
}
