import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { markPassed } from './unreadable-sql.ts';

type PassUnreadableInput = { network: string; account: string; txId: string; reason: string };

/** Lets coverage pass an unreadable transaction on an operator's order; what it paid is not seen. */
export async function passUnreadable(
  { database, clock }: Context,
  actor: Actor,
  { network, account, txId, reason }: PassUnreadableInput,
): Promise<void> {
  await inTransaction(database, async (tx) => {
    if (!(await markPassed(tx, network, account, txId, new Date(clock.nowMs()))))
      throw new Refusal('TRANSACTION_NOT_AWAITED', { network, account, txId });
    await recordAudit(tx, clock, actor, {
      action: 'account.pass-by',
      subject: `account:${network}:${account}`,
      details: { tx: txId, reason },
    });
  });
}
