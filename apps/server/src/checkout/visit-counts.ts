import type { Clock } from '../lib/clock.ts';

/** Counts by name for one minute, of a bounded number of names. */

export const WINDOW_SECONDS = 60;

export type VisitCounts = {
  used(name: string): number;
  /** Counts one more, unless it is a new name and there is no room for it. */
  add(name: string): void;
  /** Whether a new name would no longer be counted. */
  isFull(): boolean;
};

export function createVisitCounts(clock: Clock, maxNames: number): VisitCounts {
  let startedAtMs = 0;
  let counts = new Map<string, number>();
  const current = () => {
    const ageMs = clock.nowMs() - startedAtMs;
    if (ageMs < 0 || ageMs >= WINDOW_SECONDS * 1000) {
      startedAtMs = clock.nowMs();
      counts = new Map();
    }
    return counts;
  };
  return {
    used: (name) => current().get(name) ?? 0,
    add: (name) => {
      const now = current();
      const used = now.get(name);
      if (used !== undefined || now.size < maxNames) now.set(name, (used ?? 0) + 1);
    },
    isFull: () => current().size >= maxNames,
  };
}
