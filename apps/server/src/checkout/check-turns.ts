import type { Surroundings } from '../lib/client-address.ts';
import { createFairQueue } from '../lib/fair-queue.ts';

/**
 * Checks of transactions run a few at a time, because a node may take seconds. Visitors take turns: the first who waits of
 * each site before the second of any, and among those the first of each merchant. So neither many invoices nor a merchant
 * whose invoices strangers use keeps the customers of others waiting.
 */

const AT_ONCE = 8;
/** A check takes 5 s at most, so the last in the queue waits for 15 s. */
const WAITING = 24;

type CheckAsking = { around: Surroundings; merchantAccountId: bigint };

/** Runs a check in its turn; undefined if too many wait that come before it. */
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
