import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

export type PlanInput = {
  code: string;
  feeRatePercent: string;
  minimumFeeMicroUsd: bigint;
  trialDays: number;
  createBurst: number;
  createSustained: number;
  lookupBurst: number;
  lookupSustained: number;
};

export async function insertPlan(tx: Tx, plan: PlanInput, at: Date): Promise<bigint> {
  const row = await tx
    .insertInto('plans')
    .values({
      code: plan.code,
      fee_rate_percent: plan.feeRatePercent,
      minimum_fee_micro_usd: plan.minimumFeeMicroUsd,
      trial_days: plan.trialDays,
      create_burst: plan.createBurst,
      create_sustained: plan.createSustained,
      lookup_burst: plan.lookupBurst,
      lookup_sustained: plan.lookupSustained,
      created_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function findPlan(queries: Queries, code: string): Promise<{ id: bigint; trialDays: number } | undefined> {
  const row = await queries
    .selectFrom('plans')
    .select(['id', 'trial_days'])
    .where('code', '=', code)
    .executeTakeFirst();
  return row && { id: row.id, trialDays: row.trial_days };
}
