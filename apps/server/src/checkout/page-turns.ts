import type { Surroundings } from '../lib/client-address.ts';
import { createFairQueue } from '../lib/fair-queue.ts';

/**
 * Pages are made one per turn of the event loop. The first visitor of each site comes before the second of any, and of
 * those the first of each invoice: a flood refuses others only from that many sites and invoices at the same time.
 */

const MAX_WAITING = 2_000;

/** True when the page may be made; false if too many come before. */
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
