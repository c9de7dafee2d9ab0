import { inTransaction } from '../db/transaction.ts';
import type { AccountFollower, RoundHeads } from './account-follower.ts';
import type { AccountTransaction, AccountTransactions } from '../sources/account-source.ts';
import type { FollowedAccount } from './account-sql.ts';
import { lockAccount, lockVersion } from './account-sql.ts';
import type { Pass } from '../sources/chain-source.ts';
import { raiseUnreadable } from './record-unreadable.ts';
import { dropCoinDust } from '../transfers/drop-coin-dust.ts';
import { selectAccountHits } from './read-account-transfers.ts';
import { upsertTransfers } from '../transfers/transfer-sql.ts';
import type { UnreadableRow } from './unreadable-sql.ts';
import { deleteUnreadable, postponeUnreadable, readDueUnreadable } from './unreadable-sql.ts';

/** Transactions that could not be read are asked for again, one by one and ever more seldom: nothing else is read for them. */

const MAX_RETRIES_PER_TURN = 10;
const ABSENT = { fault: 'missing', reason: 'No provider has it.' } as const;

/** What somebody else shows than the one that answers for the rest. */
const shownBy = (one: AccountTransaction, by: string): AccountTransaction =>
  one.outcome === 'read' ? { ...one, transfers: one.transfers.map((transfer) => ({ ...transfer, shownBy: by })) } : one;

/** From whoever has it: one provider may be newer than another. */
async function askEverywhere(
  { source }: AccountFollower,
  account: string,
  rows: readonly UnreadableRow[],
  commitment: 'confirmed' | 'finalized',
): Promise<AccountTransactions> {
  const ask = (pass: Pass, txIds: readonly string[]) => source.readTransactions({ account, txIds, commitment, pass });
  const first = await ask(
    'first',
    rows.map(({ txId }) => txId),
  );
  const left = first.transactions.filter(({ outcome }) => outcome !== 'read').map(({ txId }) => txId);
  if (left.length === 0 || source.providers.length < 2) return first;
  const others = await ask({ not: first.by }, left);
  const elsewhere = new Map(others.transactions.map((one) => [one.txId, shownBy(one, others.by)]));
  const better = (one: AccountTransaction) => {
    const other = elsewhere.get(one.txId);
    return other && one.outcome === 'absent' ? other : other?.outcome === 'read' ? other : one;
  };
  return { by: first.by, transactions: first.transactions.map(better) };
}

async function commitRetries(
  follower: AccountFollower,
  { account, version }: FollowedAccount,
  { transactions, by }: AccountTransactions,
  isFinal: boolean,
): Promise<boolean> {
  const { database, source, clock, apply } = follower;
  const network = source.network.symbol;
  const read = transactions.flatMap((one) => (one.outcome === 'read' ? one.transfers : []));
  const { hits } = await dropCoinDust(follower, selectAccountHits(follower, read).hits);
  return inTransaction(database, async (tx) => {
    if (!(await lockVersion(tx, network, account, version))) return false;
    // What another worker reads at the moment lacks them: it must read again.
    await lockAccount(tx, network, account);
    const changed = await upsertTransfers(tx, network, hits, new Date(clock.nowMs()), by);
    for (const one of transactions) {
      const isGone = one.outcome === 'absent' && isFinal;
      if (one.outcome === 'read' || isGone) await deleteUnreadable(tx, network, account, one.txId);
      else await postponeUnreadable(tx, network, account, one.txId, one.outcome === 'unreadable' ? one : ABSENT);
    }
    await raiseUnreadable(tx, follower, account);
    await apply(tx, network, changed);
    return true;
  });
}

/** Does nothing more once another worker has committed for the account meanwhile. */
export async function retryUnreadable(
  follower: AccountFollower,
  followed: FollowedAccount,
  { finalized }: RoundHeads,
): Promise<void> {
  const { database, source } = follower;
  const { account } = followed;
  const due = await readDueUnreadable(database.queries, source.network.symbol, account, MAX_RETRIES_PER_TURN);
  let { version } = followed;
  for (const [isFinal, rows] of Map.groupBy(due, ({ height }) => height <= finalized.height)) {
    const answer = await askEverywhere(follower, account, rows, isFinal ? 'finalized' : 'confirmed');
    if (!(await commitRetries(follower, { ...followed, version }, answer, isFinal))) return;
    version += 1n;
  }
}
