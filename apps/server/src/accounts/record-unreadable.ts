import { raiseAlarms } from '../audit/raise-alarms.ts';
import type { Tx } from '../db/transaction.ts';
import type { AccountFollowing } from './account-follower.ts';
import type { UnreadableTransaction } from '../sources/account-source.ts';
import { insertUnreadable, takeAlarming } from './unreadable-sql.ts';

export async function raiseUnreadable(
  tx: Tx,
  { source, clock }: Pick<AccountFollowing, 'source' | 'clock'>,
  account: string,
): Promise<void> {
  const network = source.network.id;
  const at = new Date(clock.nowMs());
  const alarming = await takeAlarming(tx, network, account, at);
  await raiseAlarms(
    tx,
    at,
    alarming.map(({ txId, height, fault, reason }) => ({
      kind: 'unreadable-transaction',
      subject: txId,
      details: { network, account, height, fault, reason },
    })),
  );
}

/** Stores unreadable transactions in the commit of the rest. */
export async function recordUnreadable(
  tx: Tx,
  follower: Pick<AccountFollowing, 'source' | 'clock'>,
  account: string,
  found: readonly UnreadableTransaction[],
): Promise<void> {
  if (found.length === 0) return;
  await insertUnreadable(tx, follower.source.network.id, account, found);
  await raiseUnreadable(tx, follower, account);
}
