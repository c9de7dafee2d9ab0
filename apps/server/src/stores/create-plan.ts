import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { formatDecimal } from '../lib/amount.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import { MICRO_USD_DECIMALS } from '../ledger/fee.ts';
import type { PlanInput } from './store-store.ts';
import { findPlan, insertPlan } from './store-store.ts';

export async function createPlan(database: Database, clock: Clock, plan: PlanInput, actor: string): Promise<bigint> {
  if (await findPlan(database.queries, plan.code)) throw new OperatorError(`There is a plan ${plan.code} already.`);
  return inTransaction(database, async (tx) => {
    const id = await insertPlan(tx, plan, new Date(clock.nowMs()));
    const { minimumFeeMicroUsd, ...rest } = plan;
    await recordAudit(tx, clock, {
      actor,
      action: 'plan.create',
      subject: `plan:${id}`,
      details: { after: { ...rest, minimumFeeUsd: formatDecimal(minimumFeeMicroUsd, MICRO_USD_DECIMALS, 2) } },
    });
    return id;
  });
}
