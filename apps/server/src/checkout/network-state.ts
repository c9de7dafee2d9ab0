import type { MethodView } from '@counterfoil/checkout/checkout-view';
import type { Clock } from '../lib/clock.ts';
import type { ReadingFact } from '../chains/reading.ts';
import { isRead } from '../chains/reading.ts';

/** Whether a network can be chosen, and whether payments there are seen as fast as usual. */

/** A network whose newest read block is older has halted, is slow or is read late: payments there are seen late. */
const BEHIND_SECONDS = 120;

export type NetworkState = MethodView['state'];

export function networkState(fact: ReadingFact & { frozen: boolean }, clock: Clock): NetworkState {
  if (fact.frozen || !isRead(fact, clock)) return 'unavailable';
  return clock.nowMs() - fact.readTime.getTime() > BEHIND_SECONDS * 1_000 ? 'behind' : 'ready';
}
