/** Counts weight in windows of the platform's own time, as platforms do. */

export type QuotaWindow = {
  /** Counts a request; undefined while the weight is within the limit, else the seconds until the window ends. */
  use: (counter: string, weight: number, limit: number, nowMs: number) => number | undefined;
  /** The weight used in the present window. */
  used: (counter: string, nowMs: number) => number;
};

export function createQuotaWindow(windowMs: number): QuotaWindow {
  const counters = new Map<string, { window: number; used: number }>();
  const windowOf = (nowMs: number) => Math.floor(nowMs / windowMs);

  function usedBy(counter: string, nowMs: number): number {
    const found = counters.get(counter);
    return found?.window === windowOf(nowMs) ? found.used : 0;
  }

  return {
    used: usedBy,
    use: (counter, weight, limit, nowMs) => {
      const window = windowOf(nowMs);
      const used = usedBy(counter, nowMs) + weight;
      counters.set(counter, { window, used });
      return used <= limit ? undefined : Math.ceil(((window + 1) * windowMs - nowMs) / 1_000);
    },
  };
}
