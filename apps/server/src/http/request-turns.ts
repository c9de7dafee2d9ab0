import { clientSurroundings } from '../lib/client-address.ts';
import { createFairQueue } from '../lib/fair-queue.ts';

/**
 * Requests begin a few at a time, and networks take turns. Between two turns the event loop goes round: a request under
 * way, which waits for many answers of the database, would otherwise wait each time until a flood is refused.
 */

const PER_TURN = 4;
const MOST_WAITING = 2_000;

/** Resolves when a request of an IP address may begin; to false if too many wait that come before it. */
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
