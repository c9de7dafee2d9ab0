import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { PlanDescription } from './plan.ts';
import { describePlan } from './plan.ts';
import type { PlanInput } from './plan-sql.ts';
import { holdPlan, savePlan } from './plan-sql.ts';

type PlanChanges = { [Name in keyof Omit<PlanInput, 'code'>]: PlanInput[Name] | undefined };

type ChangedPlan = { before: PlanDescription; after: PlanDescription };

/** Changes a plan for all its stores. Existing invoices keep their fee, existing trials their end. */
export async function changePlan(
  { database, clock }: Context,
  actor: Operator,
  { code, changes }: { code: string; changes: PlanChanges },
): Promise<ChangedPlan> {
  return inTransaction(database, async (tx) => {
    const held = await holdPlan(tx, code);
    if (!held) throw new Refusal('PLAN_UNKNOWN', { plan: code });
    const wanted = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const plan = { ...held, ...wanted };
    const [before, after] = [describePlan(held), describePlan(plan)];
    if (JSON.stringify(before) === JSON.stringify(after)) throw new Refusal('PLAN_UNCHANGED', { plan: code });
    await savePlan(tx, plan);
    await recordAudit(tx, clock, actor, {
      action: 'plan.change',
      subject: `plan:${held.id}`,
      details: { before, after },
    });
    return { before, after };
  });
}
