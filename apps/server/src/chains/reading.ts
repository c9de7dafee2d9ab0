import type { Clock } from '../lib/clock.ts';

/**
 * Decides whether a network is offered. It must be read, or payments would not be detected and invoices could not end.
 * Its newest block must be recent: on a halted or lagging chain, a payment's block time would precede its quote's
 * window.
 */

export type ReadingFact = {
  readTime: Date;
  /** Time of the newest block that a node showed. */
  headTime: Date;
  /** When it was shown, by our clock, if at all. */
  headReadAt: Date | null;
};

/** Longest time since the last complete read. */
const UNREAD_SECONDS = 120;
/** Maximum age of the newest block when a node returned it. */
const BEHIND_SECONDS = 60;
/** Maximum age of the newest block for a quote: a payment could otherwise predate the quote's window. */
const WINDOW_SECONDS = 120;

/** The cursor's distance from the node's head, plus the head's age. */
function unreadMs({ readTime, headTime, headReadAt }: ReadingFact, nowMs: number): number {
  return nowMs - (headReadAt ?? headTime).getTime() + headTime.getTime() - readTime.getTime();
}

export function isRead(fact: ReadingFact, clock: Clock): boolean {
  return unreadMs(fact, clock.nowMs()) <= UNREAD_SECONDS * 1_000 * (clock.rate ?? 1);
}

/** Whether every payment from now on has block times in the window of a quote opened now. */
function isCurrent({ headTime, headReadAt }: ReadingFact, clock: Clock): boolean {
  const { rate = 1 } = clock;
  const behindMs = (headReadAt ?? headTime).getTime() - headTime.getTime();
  return (
    behindMs <= BEHIND_SECONDS * 1_000 * rate && clock.nowMs() - headTime.getTime() <= WINDOW_SECONDS * 1_000 * rate
  );
}

/** Whether the network may be offered, unless it is frozen. */
export function isNetworkOffered(fact: ReadingFact, clock: Clock): boolean {
  return isRead(fact, clock) && isCurrent(fact, clock);
}
