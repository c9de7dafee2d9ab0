import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { setMerchantActive } from './merchant-sql.ts';

type ActivateMerchantInput = { merchantAccountId: bigint; active: boolean };

/** Switches a merchant on or off. Open invoices still settle and notify; only new calls are refused. */
export async function activateMerchant(
  { database, clock }: Context,
  actor: Actor,
  { merchantAccountId, active }: ActivateMerchantInput,
): Promise<void> {
  await inTransaction(database, async (tx) => {
    if (!(await setMerchantActive(tx, merchantAccountId, active)))
      throw new Refusal('MERCHANT_UNKNOWN', { merchant: String(merchantAccountId) });
    await recordAudit(tx, clock, actor, {
      action: active ? 'merchant.activate' : 'merchant.deactivate',
      subject: `merchant:${merchantAccountId}`,
      details: {},
    });
  });
}
