import type { ChainPosition } from '../sources/account-source.ts';
import type { Fingerprint } from './account-fingerprint.ts';
import { hasChanged } from './account-fingerprint.ts';
import type { FollowedAccount } from './account-sql.ts';
import type { Reads, Reasons } from './choose-reads.ts';
import { chooseReads, isQuiet, isResting } from './choose-reads.ts';

/** One poll: its reads, and the balances seen before the heads were read. */
export type AccountPoll = {
  followed: FollowedAccount;
  reads: Reads;
  /** A fingerprint of the balances, only for comparison; undefined where the source gives none. */
  balances: string | undefined;
};

export type PollFacts = Pick<Reasons, 'coverSeconds' | 'ageSeconds' | 'providers' | 'exact'> & {
  balances: ReadonlyMap<string, string>;
  known: ReadonlyMap<string, Fingerprint>;
  ends: ReadonlyMap<string, number>;
  finalized: ChainPosition;
};

/** Claimed accounts: `due` are read now, `quiet` wait for their next poll. */
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
