import { inTransaction } from '../db/transaction.ts';
import { dateFromUnix } from '../lib/clock.ts';
import type { AccountFollower } from './account-follower.ts';
import type { AccountMark, AccountRead } from '../sources/account-source.ts';
import { lockAccount, readAccountState } from './account-sql.ts';
import { insertDemand } from './account-schedule-sql.ts';
import { recordUnreadable } from './record-unreadable.ts';
import { requireAgreed } from './require-agreed.ts';
import { readTransferIds } from '../chains/rescan-sql.ts';
import { readAccountTransfers } from './read-account-transfers.ts';
import { upsertTransfers } from '../transfers/transfer-sql.ts';
import { readUnread } from './unreadable-sql.ts';

export type AccountRescan = {
  account: string;
  after: AccountMark;
  upTo: AccountMark;
  /** From when on payments count, should the account have to be followed again. */
  startAt: Date;
};

/**
 * Reads an account again as the network calls it final: what was missed is recorded and matched as if it had been read in
 * its time. An account that rests is followed again, until what was found is covered.
 */
export async function rescanAccount(follower: AccountFollower, request: AccountRescan): Promise<number> {
  const { database, source } = follower;
  const { account, upTo } = request;
  const unread = await readUnread(database.queries, source.network.symbol, account);
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
  follower: AccountFollower,
  { account, startAt }: AccountRescan,
  { unreadable, by, transfers: hits }: AccountRead,
): Promise<number> {
  const { database, clock, source, apply } = follower;
  const network = source.network.symbol;
  const now = new Date(clock.nowMs());
  const state = await readAccountState(database.queries, network, account);
  return inTransaction(database, async (tx) => {
    await lockAccount(tx, network, account);
    const changed = await upsertTransfers(tx, network, hits, now, by);
    await recordUnreadable(tx, follower, account, unreadable);
    // Also those that were known: one may have been read and never decided.
    await apply(tx, network, await readTransferIds(tx, network, hits));
    if (changed.length > 0) {
      // From where it was covered: beginning later, it would pass over what was found.
      const from = state?.covered ? dateFromUnix(state.covered.time) : startAt;
      await insertDemand(tx, { network, account, startAt: from, openUntil: now });
    }
    return changed.length;
  });
}
