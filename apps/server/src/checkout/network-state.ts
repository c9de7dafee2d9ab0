import type { MethodView } from '@counterfoil/checkout/checkout-view';
import type { Clock } from '../lib/clock.ts';
import type { ReadingFact } from '../chains/reading.ts';
import { isNetworkOffered } from '../chains/reading.ts';

/** Whether a network can be chosen, and whether payments there are seen as fast as usual. */

/**
 * Seconds after which a network counts as behind, by the age of its newest read block: the network is slow or is read
 * late, so payments there are seen late.
 */
const BEHIND_SECONDS = 120;

export type NetworkState = MethodView['state'];

export function networkState(fact: ReadingFact & { frozen: boolean }, clock: Clock): NetworkState {
  if (fact.frozen || !isNetworkOffered(fact, clock)) return 'unavailable';
  return clock.nowMs() - fact.readTime.getTime() > BEHIND_SECONDS * 1_000 ? 'behind' : 'ready';
}
