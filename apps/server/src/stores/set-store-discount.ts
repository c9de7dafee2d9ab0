import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { formatDiscount } from '../merchants/plan.ts';
import { holdTerms, saveDiscount } from './store-terms-sql.ts';

type ChangedDiscount = { before: string; after: string };

export async function setStoreDiscount(
  { database, clock }: Context,
  actor: Operator,
  { store, percent }: { store: StoreRef; percent: string },
): Promise<ChangedDiscount> {
  return inTransaction(database, async (tx) => {
    const held = await holdTerms(tx, store.id);
    const [before, after] = [formatDiscount(held.discountPercent), formatDiscount(percent)];
    if (before === after) throw new Refusal('STORE_TERMS_UNCHANGED', { store: store.merchantId });
    await saveDiscount(tx, store.id, after);
    await recordAudit(tx, clock, actor, {
      action: 'store.discount',
      subject: `store:${store.id}`,
      details: { before, after },
    });
    return { before, after };
  });
}
