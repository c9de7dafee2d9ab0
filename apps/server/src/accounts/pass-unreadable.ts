import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { markPassed } from './unreadable-sql.ts';

type PassUnreadableInput = { network: string; account: string; txId: string; reason: string };

/**
 * Lets a followed account be covered past an unreadable transaction, because an operator says so; what the transaction
 * paid is not seen. Audited.
 */
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
