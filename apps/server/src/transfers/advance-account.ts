import { inTransaction } from '../db/transaction.ts';
import type { AccountFollower, AccountHeads } from './account-follower.ts';
import type { AccountMark, AccountTransfer } from './account-source.ts';
import type { FollowedAccount } from './account-store.ts';
import { lockVersion, moveAccountCursor } from './account-store.ts';
import { readHits } from './select-account-hits.ts';
import { upsertTransfers } from './transfer-store.ts';

/** The first look at an account: what the network has confirmed since the cursor. It shows payments; it settles none. */

export type FirstLook = {
  /** Read up to here. It is stored already when something was found, and otherwise with the second look. */
  cursor: AccountMark;
  version: bigint;
  /** Whether a payment was there. */
  found: boolean;
  /** There is more to read than one answer holds. */
  more: boolean;
};

/** Undefined when another worker committed for the account meanwhile. */
export async function advanceAccount(
  follower: AccountFollower,
  followed: FollowedAccount,
  heads: AccountHeads,
): Promise<FirstLook | undefined> {
  const { account, cursor, version, covered } = followed;
  if (heads.confirmed.height <= cursor.height) return { cursor, version, found: false, more: false };
  const read = await readHits(follower, {
    account,
    after: cursor.height,
    upTo: heads.confirmed,
    commitment: 'confirmed',
    pass: 'first',
  });
  const more = read.end.height < heads.confirmed.height;
  // What stands at a covered height would settle without having been seen as final: that is for the second look.
  const hits = read.transfers.filter((transfer) => transfer.height > (covered?.height ?? 0));
  if (hits.length > 0 && !(await commitSeen(follower, followed, read.end, hits))) return undefined;
  follower.counts.dust += read.dust;
  const found = hits.length > 0;
  return { cursor: read.end, version: found ? version + 1n : version, found, more };
}

async function commitSeen(
  follower: AccountFollower,
  followed: FollowedAccount,
  end: AccountMark,
  hits: readonly AccountTransfer[],
): Promise<boolean> {
  const { database, clock, source, failpoint } = follower;
  const network = source.network.symbol;
  await failpoint('account:before-commit');
  const committed = await inTransaction(database, async (tx) => {
    if (!(await lockVersion(tx, network, followed.account, followed.version))) return false;
    const changed = await upsertTransfers(tx, network, hits, new Date(clock.nowMs()));
    await failpoint('account:recorded');
    await follower.apply(tx, network, changed);
    await moveAccountCursor(tx, network, followed.account, end);
    await failpoint('account:in-commit');
    return true;
  });
  await failpoint('account:after-commit');
  return committed;
}
