import type { Clock } from '../lib/clock.ts';

/**
 * Whether a network is read. One that is not can be paid on, but nobody would see it, and an invoice that is quoted there
 * cannot end before somebody does: it is not offered. A network that halted is read all the same.
 */

export type ReadingFact = {
  /** Time of the newest block that was read. */
  readTime: Date;
  /** Time of the newest block that a node showed. */
  headTime: Date;
  /** When that was shown, by our clock; null where it never was. */
  headReadAt: Date | null;
};

/** How long ago the last complete read may be. */
export const UNREAD_SECONDS = 120;

/** How long ago a read was complete: how far the reader is behind what a node showed, and how long ago that was shown. */
function unreadMs({ readTime, headTime, headReadAt }: ReadingFact, nowMs: number): number {
  return nowMs - (headReadAt ?? headTime).getTime() + headTime.getTime() - readTime.getTime();
}

/** Pure but for the clock. On a clock that runs faster, for tests, the limit is as long in real time. */
export function isRead(fact: ReadingFact, clock: Clock): boolean {
  return unreadMs(fact, clock.nowMs()) <= UNREAD_SECONDS * 1_000 * (clock.rate ?? 1);
}
