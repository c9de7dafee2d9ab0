import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { describePlan } from './plan.ts';
import type { PlanInput } from './plan-sql.ts';
import { findPlan, insertPlan } from './plan-sql.ts';

export async function createPlan({ database, clock }: Context, actor: Actor, plan: PlanInput): Promise<bigint> {
  if (await findPlan(database.queries, plan.code)) throw new Refusal('PLAN_EXISTS', { plan: plan.code });
  return inTransaction(database, async (tx) => {
    const id = await insertPlan(tx, plan, new Date(clock.nowMs()));
    await recordAudit(tx, clock, actor, {
      action: 'plan.create',
      subject: `plan:${id}`,
      details: { after: describePlan(plan) },
    });
    return id;
  });
}
