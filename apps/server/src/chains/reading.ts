import type { Clock } from '../lib/clock.ts';

/**
 * Whether a network is being read. A network that is not read is not offered: nobody would see the payment, and the
 * invoice could not end. A network that has halted still counts as read.
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
export const UNREAD_SECONDS = 120;

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
