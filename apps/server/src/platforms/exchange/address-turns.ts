import type { Clock } from '../../lib/clock.ts';
import type { GateEntry } from './request-gate.ts';

/**
 * Turns of requests that a platform counts by our IP address. The exchange accounts of all stores share such a quota,
 * and so do all workers: each request waits for the next free turn.
 */

type AddressTurns = {
  /** Takes the next turn, and returns the milliseconds until then; throws the refusal when the wait is too long. */
  take: (entry: GateEntry, refuse: (waitMs: number) => Error) => number;
  /** Sets how many processes share our IP address, this one included. */
  shareWith: (processes: number) => void;
};

/**
 * Share of a platform's quota that our steady requests may use: a request waits for its turn, and turns are evenly
 * spaced.
 */
const TURNS_PART = 3 / 4;
/**
 * The part of a quota that may be used without waiting, after a rest. Turns and burst together are at most seven
 * eighths of a quota in any window of the platform: the rest is for a process that the others do not know of yet.
 */
const BURST_PART = 1 / 8;
/** A process starts with the burst divided by this number. */
const FIRST_PART = 8;
/** The longest wait for a turn. A follower reads 16 exchange accounts at once, whose requests wait for each other. */
const MAX_WAIT_MS = 5_000;

export function createAddressTurns(clock: Clock): AddressTurns {
  /** When the next turn of each quota comes, whatever its base address: hosts of a platform count our address together. */
  const turns = new Map<string, number>();
  let processes = 1;
  return {
    take: ({ quota, weight }, refuse) => {
      const nowMs = clock.nowMs();
      const turnMs = (quota.windowMs * weight * processes) / (quota.limit * TURNS_PART);
      const burstMs = quota.windowMs * (BURST_PART / TURNS_PART);
      // A process that has just started gets little of the burst, because other processes do not know yet that they share.
      const lastMs = turns.get(quota.name) ?? nowMs + burstMs - Math.max(turnMs, burstMs / FIRST_PART);
      // A turn that lies further ahead was taken before the clock was set back.
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
