import type { MethodView } from '@counterfoil/checkout/checkout-view';
import type { Clock } from '../lib/clock.ts';
import type { ReadingFact } from '../chains/reading.ts';
import { isNetworkOffered } from '../chains/reading.ts';

/** Whether a network can be chosen, and whether payments there are seen as fast as usual. */

/** Age of the newest read block at which payments are seen late. */
const BEHIND_SECONDS = 120;

export type NetworkState = MethodView['state'];

export function networkState(fact: ReadingFact & { frozen: boolean }, clock: Clock): NetworkState {
  if (fact.frozen || !isNetworkOffered(fact, clock)) return 'unavailable';
  return clock.nowMs() - fact.readTime.getTime() > BEHIND_SECONDS * 1_000 ? 'behind' : 'ready';
}
