import type { SecondReadLimits } from './account-read-end.ts';
import { secondReadWays } from './account-read-end.ts';
import type { ChainPosition } from '../sources/account-source.ts';
import type { FollowedAccount } from './account-sql.ts';

/** What one poll of a followed account reads. */
export type Reads = {
  /** Whether to make a first read: of what was confirmed since the cursor. */
  first: boolean;
  /** Whether to ask for each payment whose transaction should be final now; final payments settle. */
  proofs: boolean;
  /** Whether to ask again for unreadable transactions. */
  retries: boolean;
  /** Whether to make a second read: the range of the first read is read again as final, and covered. */
  second: boolean;
};

export type Reasons = SecondReadLimits & {
  /** Whether the followed account's balances are unknown, or differ from the balances at its last read. */
  changed: boolean;
  /** The earliest invoice end, in unix seconds, that waits for the followed account's coverage to pass it. */
  end: number | undefined;
  coverSeconds: { open: number; resting: number };
  /**
   * Whether the source's answers are complete and final at once: then a second read follows every first read
   * immediately.
   */
  exact: boolean;
};

/**
 * Whether a followed account rests: every quote at its address has ended, and coverage has passed the ends of these
 * quotes.
 */
export function isResting({ covered, openUntil }: FollowedAccount): boolean {
  return covered !== undefined && covered.time > openUntil;
}

/**
 * Chooses what a poll reads. A read costs a provider far more than the hint that balances changed, so a followed
 * account with unchanged balances is read only when its cursor or coverage is too old, or when the final block has
 * passed an invoice end that waits for its coverage.
 */
export function chooseReads(account: FollowedAccount, reasons: Reasons): Reads {
  const { state, covered, cursor, openUntil, unproven, coverLimit, retryDue } = account;
  const { finalized, changed, end, coverSeconds } = reasons;
  if (state === 'starting' || !covered) return { first: true, proofs: false, retries: false, second: reasons.exact };
  const allowed = isResting(account) ? coverSeconds.resting : coverSeconds.open;
  const isBehind = ({ time }: ChainPosition) => finalized.time - time >= allowed;
  const ends = end === undefined ? [openUntil] : [openUntil, end];
  const waiting = ends.filter((time) => covered.time <= time && time < finalized.time);
  const [way] = secondReadWays(account, reasons);
  // An unreadable transaction limits coverage: a second read helps only up to that limit.
  const isAtLimit = coverLimit !== undefined && coverLimit.height <= covered.height;
  const first = changed || isBehind(cursor) || waiting.some((time) => cursor.time <= time);
  return {
    first,
    proofs: unproven !== undefined && unproven <= finalized.height,
    retries: retryDue,
    second:
      (reasons.exact && first) ||
      (way !== undefined && !isAtLimit && (isBehind(covered) || waiting.some((time) => time < way.upTo.time))),
  };
}

export function isQuiet({ first, proofs, retries, second }: Reads): boolean {
  return !first && !proofs && !retries && !second;
}
