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

/** Whether store `s` pays fees: neither plan nor discount makes all invoices free. */
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

type Plan = PlanInput & { id: bigint };

const PLAN = sql`
  p.id, p.code, p.fee_rate_percent as "feeRatePercent", p.minimum_fee_micro_usd as "minimumFeeMicroUsd", p.trial_days as "trialDays",
  p.create_burst as "createBurst", p.create_sustained as "createSustained", p.lookup_burst as "lookupBurst",
  p.lookup_sustained as "lookupSustained"`;

/** Plans by code, with their number of stores; `after` is the last code of the previous page. */
export async function listPlans(
  queries: Queries,
  { after, limit }: { after: string; limit: number },
): Promise<(Plan & { stores: bigint })[]> {
  const { rows } = await sql<Plan & { stores: bigint }>`
    select ${PLAN}, (select count(*) from stores s where s.plan_id = p.id) as stores
    from plans p where p.code collate "C" > ${after} order by p.code collate "C" limit ${limit}`.execute(queries);
  return rows;
}

export async function holdPlan(tx: Tx, code: string): Promise<Plan | undefined> {
  const { rows } = await sql<Plan>`select ${PLAN} from plans p where p.code = ${code} for no key update`.execute(tx);
  return rows[0];
}

export async function savePlan(tx: Tx, plan: Plan): Promise<void> {
  await sql`
    update plans set fee_rate_percent = ${plan.feeRatePercent}, minimum_fee_micro_usd = ${plan.minimumFeeMicroUsd},
      trial_days = ${plan.trialDays}, create_burst = ${plan.createBurst}, create_sustained = ${plan.createSustained},
      lookup_burst = ${plan.lookupBurst}, lookup_sustained = ${plan.lookupSustained}
    where id = ${plan.id}`.execute(tx);
}

export async function findPlan(queries: Queries, code: string): Promise<{ id: bigint; trialDays: number } | undefined> {
  const row = await queries
    .selectFrom('plans')
    .select(['id', 'trial_days'])
    .where('code', '=', code)
    .executeTakeFirst();
  return row && { id: row.id, trialDays: row.trial_days };
}
