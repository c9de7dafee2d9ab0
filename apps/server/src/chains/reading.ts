import type { Clock } from '../lib/clock.ts';

/**
 * Whether a network is being read, and whether its head is current. A network that is not read is not offered: nobody
 * would see the payment, and the invoice could not end. A network whose head is behind our clock, because it has halted
 * or catches up, counts as read and is not offered either: a payment there would lie before the window of its quote.
 */

export type ReadingFact = {
  /** Time of the newest block that was read. */
  readTime: Date;
  /** Time of the newest block that a node showed. */
  headTime: Date;
  /** When the node's newest block was shown, by our clock; null if none was. */
  headReadAt: Date | null;
};

/** Longest time since the last complete read for which a network counts as read. */
const UNREAD_SECONDS = 120;
/** How far the newest block may have been behind our clock when a node showed it. */
const BEHIND_SECONDS = 60;
/** Greatest age of the newest block at which a later payment still lies in the window of a new quote. */
const WINDOW_SECONDS = 120;

/**
 * Time since everything was read: how far the cursor is behind the node's head, plus how long ago the head was shown.
 */
function unreadMs({ readTime, headTime, headReadAt }: ReadingFact, nowMs: number): number {
  return nowMs - (headReadAt ?? headTime).getTime() + headTime.getTime() - readTime.getTime();
}

/**
 * Whether a network is being read. Where the clock runs faster than real time, in tests, the limit is multiplied by its
 * rate.
 */
export function isRead(fact: ReadingFact, clock: Clock): boolean {
  return unreadMs(fact, clock.nowMs()) <= UNREAD_SECONDS * 1_000 * (clock.rate ?? 1);
}

/** Whether every payment from now on lies in the window of a quote that is opened now, by the times of its blocks. */
function isCurrent({ headTime, headReadAt }: ReadingFact, clock: Clock): boolean {
  const { rate = 1 } = clock;
  const behindMs = (headReadAt ?? headTime).getTime() - headTime.getTime();
  return (
    behindMs <= BEHIND_SECONDS * 1_000 * rate && clock.nowMs() - headTime.getTime() <= WINDOW_SECONDS * 1_000 * rate
  );
}

/** Whether a payment method of the network may be offered, unless the network is frozen. */
export function isNetworkOffered(fact: ReadingFact, clock: Clock): boolean {
  return isRead(fact, clock) && isCurrent(fact, clock);
}
