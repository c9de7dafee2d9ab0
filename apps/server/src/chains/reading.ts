import type { Clock } from '../lib/clock.ts';

/**
 * Decides whether a network is offered. It must be read, because an unread payment would not be detected and the invoice
 * could not end. Its newest block must also be recent: on a chain that has halted or is catching up, block times are old,
 * and a payment would fall before the time window of its quote.
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
/** Maximum age of the newest block at the moment a node returned it. */
const BEHIND_SECONDS = 60;
/** Maximum age of the newest block when a quote is opened. With an older one, a payment could predate its quote's window. */
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
