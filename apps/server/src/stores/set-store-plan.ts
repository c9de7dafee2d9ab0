import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { findPlan } from '../merchants/plan-sql.ts';
import { holdTerms, saveStorePlan } from './store-terms-sql.ts';

/** Changes a store's plan and returns the previous one. Invoices keep their fee, and a trial keeps its end. */
export async function setStorePlan(
  { database, clock }: Context,
  actor: Operator,
  { store, planCode }: { store: StoreRef; planCode: string },
): Promise<string> {
  const plan = await findPlan(database.queries, planCode);
  if (!plan) throw new Refusal('PLAN_UNKNOWN', { plan: planCode });
  return inTransaction(database, async (tx) => {
    const { plan: before } = await holdTerms(tx, store.id);
    if (before === planCode) throw new Refusal('STORE_TERMS_UNCHANGED', { store: store.merchantId });
    await saveStorePlan(tx, store.id, plan.id);
    await recordAudit(tx, clock, actor, {
      action: 'store.plan',
      subject: `store:${store.id}`,
      details: { before, after: planCode },
    });
    return before;
  });
}
