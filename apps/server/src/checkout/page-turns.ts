import type { Surroundings } from '../lib/client-address.ts';
import { createFairQueue } from '../lib/fair-queue.ts';

/**
 * Pages are made one at a time, each in its own turn of the event loop, and visitors take turns: the first who waits of
 * each site before the second of any, and among those the first of each invoice. So a flood refuses a visitor from
 * another site only if that many sites ask for that many invoices at the same time.
 */

/** The most visitors that may wait for their pages. */
const MAX_WAITING = 2_000;

/** Resolves to true when the page may be made; to false if too many wait that come before it. */
export type TakePageTurn = (around: Surroundings, invoice: string) => Promise<boolean>;

export function createPageTurns(maxWaiting = MAX_WAITING): TakePageTurn {
  const queue = createFairQueue({ atOnce: 1, waiting: maxWaiting });
  return async ({ site }, invoice) => {
    const release = await queue.enter({ site, block: invoice });
    if (!release) return false;
    setImmediate(release);
    return true;
  };
}
