import { inTransaction } from '../db/transaction.ts';
import type { AccountFollower, AccountHeads } from './account-follower.ts';
import type { AccountMark } from './account-source.ts';
import type { FollowedAccount } from './account-store.ts';
import { lockVersion, readAccountState, startFollowing } from './account-store.ts';

/**
 * Where an account begins: at a final height that is surely no later than `startAt`. Too early only costs reading; too
 * late would lose a payment. So the chain is taken to have been as fast as it can be.
 */
export function startingMark(startAt: number, finalized: AccountMark, heightsPerSecond: number): AccountMark {
  const seconds = Math.max(0, finalized.time - startAt);
  const height = Math.max(0, finalized.height - Math.ceil(seconds * heightsPerSecond));
  return { height, time: Math.min(startAt, finalized.time) };
}

/** Undefined when another worker was faster. */
export async function startAccount(
  follower: AccountFollower,
  found: FollowedAccount,
  heads: AccountHeads,
): Promise<FollowedAccount | undefined> {
  const { database, source } = follower;
  const network = source.network.symbol;
  const start = startingMark(found.startAt, heads.finalized, source.heightsPerSecond);
  const started = await inTransaction(database, async (tx) => {
    if (!(await lockVersion(tx, network, found.account, found.version))) return false;
    await startFollowing(tx, network, found.account, start);
    return true;
  });
  return started ? readAccountState(database.queries, network, found.account) : undefined;
}
