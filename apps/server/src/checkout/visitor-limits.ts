import type { Clock } from '../lib/clock.ts';

/**
 * How often strangers may ask, by address and by invoice. In this process, not in the database: see
 * docs/decisions/0011-checkout-folder.md. Counts of one minute; what no longer fits in memory shares one count.
 */

export const VISITOR_LIMITS = {
  /** Pages, states and streams. Many phones share one address behind a carrier's gateway. */
  read: { address: 1_200, invoice: 600 },
  /** Codes that belong to no invoice; nothing else is answered to an address that is over. */
  unknown: { address: 60, invoice: 0 },
  select: { address: 120, invoice: 20 },
  /** Each may cost several questions to nodes. */
  check: { address: 20, invoice: 6 },
} as const;

export type Visit = keyof typeof VISITOR_LIMITS;
export type CountedBy = 'address' | 'invoice';

export const WINDOW_SECONDS = 60;
const MAX_COUNTED = 100_000;
/** What those who share one count may do together, in limits of one. */
const SHARED_LIMITS = 20;

export type VisitorLimits = {
  /** Counts a visit; false when it is one too many. */
  admit(visit: Visit, by: CountedBy, name: string): boolean;
  /** Whether the limit is reached, without counting. */
  isOver(visit: Visit, by: CountedBy, name: string): boolean;
};

export function createVisitorLimits(clock: Clock, maxCounted = MAX_COUNTED): VisitorLimits {
  let startedAtMs = 0;
  let counts = new Map<string, number>();

  const renew = () => {
    const ageMs = clock.nowMs() - startedAtMs;
    if (ageMs >= 0 && ageMs < WINDOW_SECONDS * 1000) return;
    startedAtMs = clock.nowMs();
    counts = new Map();
  };
  const find = (visit: Visit, by: CountedBy, name: string) => {
    const own = `${visit} ${by} ${name}`;
    const limit = VISITOR_LIMITS[visit][by];
    if (counts.has(own) || counts.size < maxCounted) return { key: own, limit };
    return { key: `${visit} ${by}`, limit: limit * SHARED_LIMITS };
  };

  return {
    admit: (visit, by, name) => {
      renew();
      const { key, limit } = find(visit, by, name);
      const used = (counts.get(key) ?? 0) + 1;
      counts.set(key, used);
      return used <= limit;
    },
    isOver: (visit, by, name) => {
      renew();
      const { key, limit } = find(visit, by, name);
      return (counts.get(key) ?? 0) >= limit;
    },
  };
}
