import type { Surroundings } from '../lib/client-address.ts';
import { createFairQueue } from '../lib/fair-queue.ts';

/**
 * Checks of transactions run a few at a time, because a node may take seconds. The first visitor of each site comes
 * before the second of any, and of those the first of each merchant: neither many invoices nor one merchant's flood
 * delays other customers.
 */

const AT_ONCE = 8;
/** A check takes at most 5 s, so the last in the queue waits 15 s. */
const WAITING = 24;

type CheckAsking = { around: Surroundings; merchantAccountId: bigint };

/** Undefined if too many come before. */
type RunInTurn = <Answer>(asking: CheckAsking, check: () => Promise<Answer>) => Promise<Answer | undefined>;

export function createCheckTurns(): RunInTurn {
  const queue = createFairQueue({ atOnce: AT_ONCE, waiting: WAITING });
  return async ({ around: { site }, merchantAccountId }, check) => {
    const release = await queue.enter({ site, block: String(merchantAccountId) });
    if (!release) return undefined;
    try {
      return await check();
    } finally {
      release();
    }
  };
}
