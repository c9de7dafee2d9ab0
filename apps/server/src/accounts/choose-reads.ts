import type { SecondReadLimits } from './account-read-end.ts';
import { secondReadWays } from './account-read-end.ts';
import type { AccountMark } from '../sources/account-source.ts';
import type { FollowedAccount } from './account-sql.ts';

/** What is done for an account in a turn. */
export type Reads = {
  /** What is confirmed since the cursor is read. */
  first: boolean;
  /** Payments that are final now are looked up one by one, and settle. */
  proofs: boolean;
  /** Transactions that could not be read are asked for again. */
  retries: boolean;
  /** What was read first is read again as final, and covered. */
  second: boolean;
};

export type Reasons = SecondReadLimits & {
  /** It is not known to hold what it held when it was last read. */
  changed: boolean;
  /** In whole seconds: the earliest end that waits until the account is covered past it. */
  end: number | undefined;
  coverSeconds: { open: number; resting: number };
};

/** All that is open at it has ended, and it is covered past that. */
export function isResting({ covered, openUntil }: FollowedAccount): boolean {
  return covered !== undefined && covered.time > openUntil;
}

/**
 * Reads cost a provider far more than the hint that an account changed. One that did not is read only when that can change
 * something: an end is final now, or it was not read, or not covered, for long.
 */
export function chooseReads(account: FollowedAccount, reasons: Reasons): Reads {
  const { state, covered, cursor, openUntil, unproven, heldAt, retryDue } = account;
  const { finalized, changed, end, coverSeconds } = reasons;
  if (state === 'starting' || !covered) return { first: true, proofs: false, retries: false, second: false };
  const allowed = isResting(account) ? coverSeconds.resting : coverSeconds.open;
  const isBehind = ({ time }: AccountMark) => finalized.time - time >= allowed;
  const ends = end === undefined ? [openUntil] : [openUntil, end];
  const waiting = ends.filter((time) => covered.time <= time && time < finalized.time);
  const [way] = secondReadWays(account, reasons);
  // A transaction that cannot be read ends coverage: up to there it is worth while, and no further.
  const isHeld = heldAt !== undefined && heldAt.height <= covered.height;
  return {
    first: changed || isBehind(cursor) || waiting.some((time) => cursor.time <= time),
    proofs: unproven !== undefined && unproven <= finalized.height,
    retries: retryDue,
    second: way !== undefined && !isHeld && (isBehind(covered) || waiting.some((time) => time < way.upTo.time)),
  };
}

export function isQuiet({ first, proofs, retries, second }: Reads): boolean {
  return !first && !proofs && !retries && !second;
}
