import { inTransaction } from '../db/transaction.ts';
import { dateFromUnix } from '../lib/clock.ts';
import type { AccountFollower, AccountFollowing } from './account-follower.ts';
import type { ChainPosition, AccountRead } from '../sources/account-source.ts';
import { lockAccount, readAccountState } from './account-sql.ts';
import { insertDemand } from './account-schedule-sql.ts';
import { recordUnreadable } from './record-unreadable.ts';
import { requireAgreed } from './require-agreed.ts';
import { readTransferIds } from '../chains/rescan-sql.ts';
import { readAccountTransfers } from './read-account-transfers.ts';
import { upsertTransfers } from '../transfers/transfer-sql.ts';
import { readUnread } from './unreadable-sql.ts';

type AccountRescan = {
  account: string;
  after: ChainPosition;
  upTo: ChainPosition;
  startAt: Date;
};

/** Reads a range again as final and applies missed transfers; follows the account until they are covered. */
export async function rescanAccount(follower: AccountFollower, request: AccountRescan): Promise<number> {
  const { database, source } = follower;
  const { account, upTo } = request;
  const unread = await readUnread(database.queries, source.network.id, account);
  let found = 0;
  for (let { after } = request; after.height < upTo.height;) {
    const read = await readAccountTransfers(follower, {
      account,
      after,
      upTo,
      commitment: 'finalized',
      pass: 'second',
      unread,
    });
    await requireAgreed(follower, account, read);
    if (read.transfers.length > 0 || read.unreadable.length > 0) found += await commitFound(follower, request, read);
    after = read.end;
  }
  return found;
}

async function commitFound(
  follower: AccountFollowing,
  { account, startAt }: AccountRescan,
  { unreadable, by, transfers }: AccountRead,
): Promise<number> {
  const { database, clock, source, apply } = follower;
  const network = source.network.id;
  const now = new Date(clock.nowMs());
  const state = await readAccountState(database.queries, network, account);
  return inTransaction(database, async (tx) => {
    await lockAccount(tx, network, account);
    const changed = await upsertTransfers(tx, network, transfers, now, by);
    await recordUnreadable(tx, follower, account, unreadable);
    // Known transfers are applied too: one may have been recorded but not matched.
    await apply(tx, network, await readTransferIds(tx, network, transfers));
    if (changed.length > 0) {
      // Starts at the old coverage, so that the next second read includes what the rescan found.
      const from = state?.covered ? dateFromUnix(state.covered.time) : startAt;
      await insertDemand(tx, { network, account, startAt: from, openUntil: now });
    }
    return changed.length;
  });
}
