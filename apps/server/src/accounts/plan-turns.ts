import type { AccountMark } from '../sources/account-source.ts';
import type { Fingerprint } from './account-fingerprint.ts';
import { hasChanged } from './account-fingerprint.ts';
import type { FollowedAccount } from './account-sql.ts';
import type { Reads, Reasons } from './choose-reads.ts';
import { chooseReads, isQuiet, isResting } from './choose-reads.ts';

/** The turn of one account: what is read, and what the account held before the heads were asked for. */
export type Turn = {
  followed: FollowedAccount;
  reads: Reads;
  /** A hint at its balances; undefined where the source gives none. */
  held: string | undefined;
};

export type TurnFacts = Pick<Reasons, 'coverSeconds' | 'ageSeconds' | 'providers'> & {
  /** By account, what it holds now, where the source tells. */
  held: ReadonlyMap<string, string>;
  /** By account, what it held when it was last read. */
  known: ReadonlyMap<string, Fingerprint>;
  /** By account, the earliest end that waits until it is covered. */
  ends: ReadonlyMap<string, number>;
  finalized: AccountMark;
};

/** Claimed accounts by what happens to them now: those that nothing is read of wait for their next poll. */
export type PlannedTurns = {
  quiet: { open: readonly FollowedAccount[]; resting: readonly FollowedAccount[] };
  due: readonly Turn[];
};

export function planTurns(claimed: readonly FollowedAccount[], facts: TurnFacts): PlannedTurns {
  const { held, known, ends, ...reasons } = facts;
  const turns = claimed.map((followed): Turn => {
    const { account } = followed;
    const now = held.get(account);
    const changed = hasChanged(known.get(account), now);
    return { followed, reads: chooseReads(followed, { ...reasons, changed, end: ends.get(account) }), held: now };
  });
  const quiet = turns.filter(({ reads }) => isQuiet(reads)).map(({ followed }) => followed);
  return {
    quiet: { open: quiet.filter((one) => !isResting(one)), resting: quiet.filter(isResting) },
    due: turns.filter(({ reads }) => !isQuiet(reads)),
  };
}
