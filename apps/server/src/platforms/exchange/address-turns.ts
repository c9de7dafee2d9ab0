import type { Clock } from '../../lib/clock.ts';
import type { GateEntry } from './request-gate.ts';

/**
 * Turns of requests that an exchange platform counts by our IP address. The exchange accounts of all stores share such
 * a quota, and so do all workers: each request waits for the next free turn.
 */

type AddressTurns = {
  /**
   * Takes the next turn and returns the milliseconds until the turn; when the wait is too long, throws the error that
   * `refuse` makes.
   */
  take: (entry: GateEntry, refuse: (waitMs: number) => Error) => number;
  /** Sets how many processes share our IP address, this one included. */
  shareWith: (processes: number) => void;
};

/** Share of a platform's quota that evenly spaced turns use. */
const TURNS_PART = 3 / 4;
/**
 * Share of a platform's quota that requests may use without waiting, after a rest. Turns and burst together use at most
 * seven eighths of the quota in any window of the platform: an eighth is left for a new process that other processes do
 * not know of yet.
 */
const BURST_PART = 1 / 8;
/** Divisor of the burst for a process that has just started. */
const FIRST_PART = 8;
/**
 * The longest wait for a turn; a request that would wait longer is refused. Some waiting is normal: a follower reads 16
 * exchange accounts at once, and their requests take turns.
 */
const MAX_WAIT_MS = 5_000;

export function createAddressTurns(clock: Clock): AddressTurns {
  /**
   * When the next turn of each quota comes, for all base URLs together: a platform's hosts share one count of our IP
   * address.
   */
  const turns = new Map<string, number>();
  let processes = 1;
  return {
    take: ({ quota, weight }, refuse) => {
      const nowMs = clock.nowMs();
      const turnMs = (quota.windowMs * weight * processes) / (quota.limit * TURNS_PART);
      const burstMs = quota.windowMs * (BURST_PART / TURNS_PART);
      // A process that has just started gets a small part of the burst: other processes do not know yet that they share
      // the quota.
      const lastMs = turns.get(quota.name) ?? nowMs + burstMs - Math.max(turnMs, burstMs / FIRST_PART);
      // A turn further ahead than the longest wait was taken before the clock was set back, and is ignored.
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
