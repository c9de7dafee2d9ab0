import type { ChainPosition } from '../sources/account-source.ts';
import type { Fingerprint } from './account-fingerprint.ts';
import { hasChanged } from './account-fingerprint.ts';
import type { FollowedAccount } from './account-sql.ts';
import type { Reads, Reasons } from './choose-reads.ts';
import { chooseReads, isQuiet, isResting } from './choose-reads.ts';

/** One poll of a followed account: which reads it makes, and the balances seen before the heads were read. */
export type AccountPoll = {
  followed: FollowedAccount;
  reads: Reads;
  /** The followed account's balances as a fingerprint, only to be compared; undefined where the source gives none. */
  balances: string | undefined;
};

export type PollFacts = Pick<Reasons, 'coverSeconds' | 'ageSeconds' | 'providers' | 'exact'> & {
  /** Present balances by followed account, where the source tells balances. */
  balances: ReadonlyMap<string, string>;
  /** Balances by followed account, at the account's last read. */
  known: ReadonlyMap<string, Fingerprint>;
  /** By followed account, the earliest invoice end that waits for the account's coverage. */
  ends: ReadonlyMap<string, number>;
  finalized: ChainPosition;
};

/** Claimed followed accounts: accounts in `due` are read now, accounts in `quiet` wait for their next poll. */
export type PlannedPolls = {
  quiet: { open: readonly FollowedAccount[]; resting: readonly FollowedAccount[] };
  due: readonly AccountPoll[];
};

export function planPolls(claimed: readonly FollowedAccount[], facts: PollFacts): PlannedPolls {
  const { balances, known, ends, ...reasons } = facts;
  const polls = claimed.map((followed): AccountPoll => {
    const { account } = followed;
    const now = balances.get(account);
    const changed = hasChanged(known.get(account), now);
    return { followed, reads: chooseReads(followed, { ...reasons, changed, end: ends.get(account) }), balances: now };
  });
  const quiet = polls.filter(({ reads }) => isQuiet(reads)).map(({ followed }) => followed);
  return {
    quiet: { open: quiet.filter((one) => !isResting(one)), resting: quiet.filter(isResting) },
    due: polls.filter(({ reads }) => !isQuiet(reads)),
  };
}
