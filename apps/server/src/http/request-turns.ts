import { clientSurroundings } from '../lib/client-address.ts';
import { createFairQueue } from '../lib/fair-queue.ts';

/**
 * Requests begin a few per turn of the event loop, and networks take turns: requests in progress, which wait for many
 * database answers, are not delayed by a flood.
 */

const PER_TURN = 4;
const MOST_WAITING = 2_000;

/** False if too many requests come before. */
type TakeTurn = (address: string) => Promise<boolean>;

export function createRequestTurns(): TakeTurn {
  const queue = createFairQueue({ atOnce: PER_TURN, waiting: MOST_WAITING });
  return async (address) => {
    const release = await queue.enter(clientSurroundings(address));
    if (!release) return false;
    setImmediate(release);
    return true;
  };
}
