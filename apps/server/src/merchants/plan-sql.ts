import { sql } from 'kysely';
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

/** Whether store `s` pays fees, in SQL: neither its plan nor its discount makes all of its invoices free. */
export const TAKES_FEES = sql<boolean>`(s.live and s.discount_percent < 100 and exists (select from plans p
  where p.id = s.plan_id and (p.fee_rate_percent > 0 or p.minimum_fee_micro_usd > 0)))`;

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
