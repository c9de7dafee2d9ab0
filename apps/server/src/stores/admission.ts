import type { FeePlan } from '../ledger/fee.ts';

/** Admission of a request: its store, and what remains in both rate windows. */

export type Endpoint = 'create' | 'cancel' | 'lookup' | 'list' | 'sandbox' | 'other';

export type Limits = { burst: number; sustained: number };

/** The contract's limits: plan defaults, and those of IP addresses without a known key. */
export const CONTRACT_LIMITS: Record<Endpoint, Limits> = {
  create: { burst: 5, sustained: 60 },
  // As creation, but counted apart: a shop that replaces an invoice cancels one and creates one.
  cancel: { burst: 5, sustained: 60 },
  lookup: { burst: 20, sustained: 200 },
  list: { burst: 5, sustained: 120 },
  sandbox: { burst: 20, sustained: 300 },
  other: { burst: 20, sustained: 200 },
};

export const BURST_WINDOW_SECONDS = 1;
export const SUSTAINED_WINDOW_SECONDS = 60;

/** The store may be switched off. */
export type KeyedStore = {
  id: bigint;
  merchantAccountId: bigint;
  merchantId: string;
  shard: string;
  /** A test store offers no live network. */
  live: boolean;
  active: boolean;
  accountActive: boolean;
  lifetimeMinutes: number;
  httpsCallbacksOnly: boolean;
  trialEndsAt: Date | null;
  feePlan: FeePlan;
};

/** Counters of a key or IP address after a statement with `requested` requests. */
export type Taken = {
  limits: Limits;
  requested: number;
  burstUsed: number;
  sustainedUsed: number;
  burstResetSeconds: number;
  sustainedResetSeconds: number;
};

export type RateWindow = { limit: number; remaining: number; resetSeconds: number };
export type RateVerdict = { window: RateWindow; exceeded?: 'burst' | 'sustained' };

/**
 * Judges the request at `place` (from 1) of those counted together: they pass in order, and one over the burst limit
 * does not count in the minute. The verdict shows the window with the fewest requests left.
 */
export function judgeRate(taken: Taken, place: number): RateVerdict {
  const { burst, sustained } = taken.limits;
  const burstBefore = taken.burstUsed - taken.requested;
  const passedBurst = Math.max(0, Math.min(taken.requested, burst - burstBefore));
  const sustainedBefore = taken.sustainedUsed - passedBurst;
  const burstPlace = burstBefore + place;
  const sustainedPlace = sustainedBefore + Math.min(place, passedBurst);
  const burstWindow = {
    limit: burst,
    remaining: Math.max(0, burst - burstPlace),
    resetSeconds: taken.burstResetSeconds,
  };
  const sustainedWindow = {
    limit: sustained,
    remaining: Math.max(0, sustained - sustainedPlace),
    resetSeconds: taken.sustainedResetSeconds,
  };
  if (burstPlace > burst) return { window: burstWindow, exceeded: 'burst' };
  if (sustainedPlace > sustained) return { window: sustainedWindow, exceeded: 'sustained' };
  return { window: burstWindow.remaining < sustainedWindow.remaining ? burstWindow : sustainedWindow };
}
