import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { saveApproval } from './own-merchant-sql.ts';

/** Approves a merchant that a user opened for live stores. Returns whether it waited. */
export async function approveMerchant(
  { database, clock }: Context,
  actor: Operator,
  { merchantAccountId }: { merchantAccountId: bigint },
): Promise<{ isNew: boolean }> {
  return inTransaction(database, async (tx) => {
    const isNew = await saveApproval(tx, merchantAccountId, new Date(clock.nowMs()));
    if (isNew) {
      await recordAudit(tx, clock, actor, {
        action: 'merchant.approve',
        subject: `merchant:${merchantAccountId}`,
        details: {},
      });
    }
    return { isNew };
  });
}
