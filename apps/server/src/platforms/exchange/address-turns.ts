import type { Clock } from '../../lib/clock.ts';
import type { GateEntry } from './request-gate.ts';

/** Turns of requests that a platform counts by our IP address, shared by all stores and workers. */

type AddressTurns = {
  /** Takes the next turn and returns the wait in ms; throws the error of `refuse` when that is too long. */
  take: (entry: GateEntry, refuse: (waitMs: number) => Error) => number;
  /** How many processes share our IP address, including this one. */
  shareWith: (processes: number) => void;
};

/** Share of the quota for evenly spaced turns. */
const TURNS_PART = 3 / 4;
/**
 * Share of the quota for a burst after idling. With turns, at most seven eighths per window: an eighth is left for a
 * new process that others have not noticed yet.
 */
const BURST_PART = 1 / 8;
/** Divisor of a new process's burst. */
const FIRST_PART = 8;
/** Longest wait for a turn. Some waiting is normal: a follower reads 16 accounts in parallel. */
const MAX_WAIT_MS = 5_000;

export function createAddressTurns(clock: Clock): AddressTurns {
  /** Next turn by quota, for all base URLs: a platform's hosts count our IP address together. */
  const turns = new Map<string, number>();
  let processes = 1;
  return {
    take: ({ quota, weight }, refuse) => {
      const nowMs = clock.nowMs();
      const turnMs = (quota.windowMs * weight * processes) / (quota.limit * TURNS_PART);
      const burstMs = quota.windowMs * (BURST_PART / TURNS_PART);
      // A new process gets a small burst: others have not noticed it yet.
      const lastMs = turns.get(quota.name) ?? nowMs + burstMs - Math.max(turnMs, burstMs / FIRST_PART);
      // A turn beyond the longest wait was taken before the clock was set back; ignore it.
      const soonestMs = lastMs > nowMs + burstMs + MAX_WAIT_MS ? nowMs + burstMs : Math.max(lastMs, nowMs);
      const nextMs = soonestMs + turnMs;
      const waitMs = Math.max(0, Math.ceil(nextMs - burstMs - nowMs));
      if (waitMs > MAX_WAIT_MS) throw refuse(waitMs);
      turns.set(quota.name, nextMs);
      return waitMs;
    },
    shareWith: (sharing) => {
      processes = Math.max(1, sharing);
    },
  };
}
