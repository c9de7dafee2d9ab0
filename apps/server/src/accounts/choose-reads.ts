import type { SecondReadLimits } from './account-read-end.ts';
import { secondReadWays } from './account-read-end.ts';
import type { ChainPosition } from '../sources/account-source.ts';
import type { FollowedAccount } from './account-sql.ts';

/** What one poll of a followed account reads. */
export type Reads = {
  /** The first read: what was confirmed since the cursor. */
  first: boolean;
  /** Payments whose transactions should be final now are asked for one by one; those that are final settle. */
  proofs: boolean;
  /** Unreadable transactions are asked for again. */
  retries: boolean;
  /** The second read: what was read first is read again as final, and covered. */
  second: boolean;
};

export type Reasons = SecondReadLimits & {
  /** The account's balances are unknown, or differ from those of its last read. */
  changed: boolean;
  /** The earliest invoice end, in unix seconds, that waits for the account to be covered past it. */
  end: number | undefined;
  coverSeconds: { open: number; resting: number };
  /** Whether the source is exact: then every first read is followed by a second one at once. */
  exact: boolean;
};

/** Whether a followed account rests: every quote at it has ended, and it is covered past those ends. */
export function isResting({ covered, openUntil }: FollowedAccount): boolean {
  return covered !== undefined && covered.time > openUntil;
}

/**
 * Chooses what to read. A read costs a provider far more than the hint that balances changed, so an unchanged account
 * is read only when an invoice end is final now, or its last read or its coverage is too old.
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
  // An unreadable transaction limits coverage: a second read is of use up to there and no further.
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
