import type { SecondReadLimits } from './account-read-end.ts';
import { secondReadWays } from './account-read-end.ts';
import type { ChainPosition } from '../sources/account-source.ts';
import type { FollowedAccount } from './account-sql.ts';

/** What one poll reads. */
export type Reads = {
  /** Whether to read transfers confirmed since the cursor. */
  first: boolean;
  proofs: boolean;
  retries: boolean;
  /** Whether to read the range again as final, and cover it. */
  second: boolean;
};

export type Reasons = SecondReadLimits & {
  /** Whether balances are unknown or have changed. */
  changed: boolean;
  /** The earliest invoice end (unix seconds) that waits for coverage. */
  end: number | undefined;
  coverSeconds: { open: number; resting: number };
  /** Whether answers are immediately complete and final: then a second read follows every first read. */
  exact: boolean;
};

/** Whether every quote has ended, and coverage has passed their ends. */
export function isResting({ covered, openUntil }: FollowedAccount): boolean {
  return covered !== undefined && covered.time > openUntil;
}

/**
 * A read costs far more than a balance hint, so an unchanged account is read only when its cursor or coverage is too
 * old, or the final block has passed an invoice end that waits for it.
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
