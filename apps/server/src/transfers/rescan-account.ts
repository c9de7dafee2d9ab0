import { inTransaction } from '../db/transaction.ts';
import type { AccountFollower } from './account-follower.ts';
import { recordReader } from './account-proof-store.ts';
import type { AccountMark, AccountRead, AccountTransfer } from './account-source.ts';
import { lockAccount, readAccountState } from './account-store.ts';
import { insertDemand } from './account-turn-store.ts';
import { SourceError } from './chain-source.ts';
import { recordUnreadable } from './record-unreadable.ts';
import { readTransferIds } from './rescan-store.ts';
import { readHits } from './select-account-hits.ts';
import { upsertTransfers } from './transfer-store.ts';
import { readUnread } from './unreadable-store.ts';

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
    const read = await readHits(follower, { account, after, upTo, commitment: 'finalized', pass: 'second', unread });
    if (read.transfers.length > 0 || read.unreadable.length > 0)
      found += await commitFound(follower, request, read, await requireAgreed(follower, account, read));
    after = read.end;
  }
  return found;
}

const place = ({ txId, index, blockHash, units }: AccountTransfer) => `${txId} ${index} ${blockHash} ${units}`;

/** What one provider shows at a covered height would settle by its word alone: another must show it too, where there is one. */
async function requireAgreed(
  { source }: AccountFollower,
  account: string,
  { transfers, by }: AccountRead,
): Promise<AccountTransfer[]> {
  if (source.providers.length < 2 || transfers.length === 0) return transfers;
  const txIds = [...new Set(transfers.map(({ txId }) => txId))];
  const other = await source.readTransactions({ account, txIds, commitment: 'finalized', pass: { not: by } });
  const shown = new Set(other.transactions.flatMap((one) => (one.outcome === 'read' ? one.transfers.map(place) : [])));
  const alone = transfers.find((transfer) => !shown.has(place(transfer)));
  if (alone) throw new SourceError('inconsistent', `${alone.txId} is shown by ${by} and not by ${other.by}.`);
  return transfers;
}

async function commitFound(
  follower: AccountFollower,
  { account, startAt }: AccountRescan,
  { unreadable, by }: AccountRead,
  hits: readonly AccountTransfer[],
): Promise<number> {
  const { database, clock, source, apply } = follower;
  const network = source.network.symbol;
  const now = new Date(clock.nowMs());
  const state = await readAccountState(database.queries, network, account);
  return inTransaction(database, async (tx) => {
    await lockAccount(tx, network, account);
    const changed = await upsertTransfers(tx, network, hits, now);
    await recordReader(tx, changed, by);
    await recordUnreadable(tx, follower, account, unreadable);
    // Also those that were known: one may have been read and never decided.
    await apply(tx, network, await readTransferIds(tx, network, hits));
    if (changed.length > 0) {
      // From where it was covered: beginning later, it would pass over what was found.
      const from = state?.covered ? new Date(state.covered.time * 1000) : startAt;
      await insertDemand(tx, { network, account, startAt: from, openUntil: now });
    }
    return changed.length;
  });
}
