import { inTransaction } from '../db/transaction.ts';
import type { AccountFollower, AccountFollowing, RoundHeads } from './account-follower.ts';
import type { AccountTransaction, AccountTransactions } from '../sources/account-source.ts';
import type { FollowedAccount } from './account-sql.ts';
import { lockAccount, lockVersion } from './account-sql.ts';
import type { Pass } from '../sources/chain-source.ts';
import { raiseUnreadable } from './record-unreadable.ts';
import { dropCoinDust } from '../transfers/drop-coin-dust.ts';
import { filterAccountTransfers } from './read-account-transfers.ts';
import { upsertTransfers } from '../transfers/transfer-sql.ts';
import type { UnreadableRow } from './unreadable-sql.ts';
import { deleteUnreadable, postponeUnreadable, readDueUnreadable } from './unreadable-sql.ts';

/** Unreadable transactions are requested by id, ever less often; no range is read again for them. */

const MAX_RETRIES_PER_POLL = 10;
const ABSENT = { fault: 'missing', reason: 'No provider has it.' } as const;

/** Sets the provider that showed a transaction, which may differ from that of the rest of the answer. */
const shownBy = (one: AccountTransaction, by: string): AccountTransaction =>
  one.outcome === 'read' ? { ...one, transfers: one.transfers.map((transfer) => ({ ...transfer, shownBy: by })) } : one;

/** Asks another provider for transactions that the first cannot show: nodes may differ in version. */
async function askEverywhere(
  { source }: AccountFollowing,
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
  const network = source.network.id;
  const read = transactions.flatMap((one) => (one.outcome === 'read' ? one.transfers : []));
  const { kept: transfers } = await dropCoinDust(follower, filterAccountTransfers(follower, read).kept);
  return inTransaction(database, async (tx) => {
    if (!(await lockVersion(tx, network, account, version))) return false;
    // Also raises the version: a read in progress elsewhere lacks these transfers and must be repeated.
    await lockAccount(tx, network, account);
    const changed = await upsertTransfers(tx, network, transfers, new Date(clock.nowMs()), by);
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

/** Retries due unreadable transactions, unless another worker committed first. */
export async function retryUnreadable(
  follower: AccountFollower,
  followed: FollowedAccount,
  { finalized }: RoundHeads,
): Promise<void> {
  const { database, source } = follower;
  const { account } = followed;
  const due = await readDueUnreadable(database.queries, source.network.id, account, MAX_RETRIES_PER_POLL);
  let { version } = followed;
  for (const [isFinal, rows] of Map.groupBy(due, ({ height }) => height <= finalized.height)) {
    const answer = await askEverywhere(follower, account, rows, isFinal ? 'finalized' : 'confirmed');
    if (!(await commitRetries(follower, { ...followed, version }, answer, isFinal))) return;
    version += 1n;
  }
}
