import type { Clock } from '../lib/clock.ts';

/** Recently rendered pages: many visitors of an invoice get the same text. */

const KEPT_MS = 500;
const MAX_KEPT = 100;

type RecentPages = (key: string, make: () => string) => string;

export function createRecentPages(clock: Clock): RecentPages {
  const kept = new Map<string, { text: string; madeAtMs: number }>();
  return (key, make) => {
    const nowMs = clock.nowMs();
    const known = kept.get(key);
    if (known && nowMs >= known.madeAtMs && nowMs - known.madeAtMs < KEPT_MS) return known.text;
    const text = make();
    kept.delete(key);
    kept.set(key, { text, madeAtMs: nowMs });
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return text;
  };
}
