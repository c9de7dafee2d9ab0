/** The value that this share of the values does not exceed; `ofNone` when there are no values. */
export function percentile(values: readonly number[], share: number, ofNone = Number.NaN): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? ofNone;
}

export const median = (values: readonly number[]) => percentile(values, 0.5);

/** Milliseconds as seconds with one decimal. */
export const tenths = (ms: number) => Math.round(ms / 100) / 10;
