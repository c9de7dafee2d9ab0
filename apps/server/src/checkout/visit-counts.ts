import type { Clock } from '../lib/clock.ts';

/** Counts visits per minute for a bounded number of names. */

export const WINDOW_SECONDS = 60;

export type VisitCounts = {
  used(name: string): number;
  /** Counts a visit, unless the name is new and the table is full. */
  add(name: string): void;
  /** Whether a new name would not be counted. */
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
