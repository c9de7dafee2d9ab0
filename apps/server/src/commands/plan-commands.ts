import { z } from 'zod';
import { wholeNumber } from '../config/setting.ts';
import { FEE_RATE_DECIMALS } from '../ledger/fee.ts';
import { changePlan } from '../merchants/change-plan.ts';
import { createPlan } from '../merchants/create-plan.ts';
import type { PlanDescription } from '../merchants/plan.ts';
import { describePlan } from '../merchants/plan.ts';
import { listPlans } from '../merchants/plan-sql.ts';
import { CONTRACT_LIMITS } from '../stores/admission.ts';
import { command } from './command.ts';
import { money, percent } from './command-fields.ts';
import type { OperatorContext } from './operator-context.ts';

const limit = wholeNumber(1, 1_000_000);
const fee = money.refine((microUsd) => microUsd >= 0n, 'must not be negative');
const days = wholeNumber(0, 3650);

const TERMS = {
  'fee-rate': percent(FEE_RATE_DECIMALS),
  'minimum-fee': fee,
  'trial-days': days,
  'create-burst': limit,
  'create-sustained': limit,
  'lookup-burst': limit,
  'lookup-sustained': limit,
};

const planInput = z.object({
  code: z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be lower-case letters, digits and dashes'),
  'fee-rate': TERMS['fee-rate'],
  'minimum-fee': fee.default(0n),
  'trial-days': days.default(0),
  'create-burst': limit.default(CONTRACT_LIMITS.create.burst),
  'create-sustained': limit.default(CONTRACT_LIMITS.create.sustained),
  'lookup-burst': limit.default(CONTRACT_LIMITS.lookup.burst),
  'lookup-sustained': limit.default(CONTRACT_LIMITS.lookup.sustained),
});

const planCreate = command<OperatorContext, typeof planInput>('plan create', {
  summary: 'Define what stores pay and how fast they may call.',
  options: {
    code: 'NAME          for example standard',
    'fee-rate': 'PERCENT   for example 0.5',
    'minimum-fee': 'USD   least fee of an invoice (0)',
    'trial-days': 'DAYS   fees are waived so long (0)',
    'create-burst': 'N     creations per second (5)',
    'create-sustained': 'N creations per minute (60)',
    'lookup-burst': 'N     lookups per second (20)',
    'lookup-sustained': 'N lookups per minute (200)',
  },
  input: planInput,
  run: async (context, input) => {
    await createPlan(context, context.actor, {
      code: input.code,
      feeRatePercent: input['fee-rate'],
      minimumFeeMicroUsd: input['minimum-fee'],
      trialDays: input['trial-days'],
      createBurst: input['create-burst'],
      createSustained: input['create-sustained'],
      lookupBurst: input['lookup-burst'],
      lookupSustained: input['lookup-sustained'],
    });
    return { plan: input.code };
  },
});

function showPlan(plan: PlanDescription) {
  return {
    plan: plan.code,
    fee_percent: plan.feeRatePercent,
    minimum_fee_usd: plan.minimumFeeUsd,
    trial_days: plan.trialDays,
    creates_per_second: plan.createBurst,
    creates_per_minute: plan.createSustained,
    lookups_per_second: plan.lookupBurst,
    lookups_per_minute: plan.lookupSustained,
  };
}

const MAX_LISTED = 200;

const listInput = z.object({ after: z.string().default('') });

const planList = command<OperatorContext, typeof listInput>('plan list', {
  summary: `Plans with their number of stores, by code, ${MAX_LISTED} at most.`,
  options: { after: 'CODE          next page: the last plan of the page before' },
  input: listInput,
  run: async ({ database }, { after }) => {
    const plans = await listPlans(database.queries, { after, limit: MAX_LISTED });
    return plans.map(({ stores, ...plan }) => Object.assign(showPlan(describePlan(plan)), { stores }));
  },
});

const changeInput = z.object({ code: z.string(), ...z.object(TERMS).partial().shape });

const planChange = command<OperatorContext, typeof changeInput>('plan change', {
  summary:
    'Change a plan: fees for invoices created from now on, trials of stores created from now on, rates from now on. Audited.',
  options: {
    code: 'NAME          as plan list shows it',
    'fee-rate': 'PERCENT',
    'minimum-fee': 'USD   least fee of an invoice',
    'trial-days': 'DAYS   of new stores',
    'create-burst': 'N     creations per second',
    'create-sustained': 'N creations per minute',
    'lookup-burst': 'N     lookups per second',
    'lookup-sustained': 'N lookups per minute',
  },
  input: changeInput,
  run: async (context, input) => {
    const changes = {
      feeRatePercent: input['fee-rate'],
      minimumFeeMicroUsd: input['minimum-fee'],
      trialDays: input['trial-days'],
      createBurst: input['create-burst'],
      createSustained: input['create-sustained'],
      lookupBurst: input['lookup-burst'],
      lookupSustained: input['lookup-sustained'],
    };
    const { before, after } = await changePlan(context, context.actor, { code: input.code, changes });
    return { before: [showPlan(before)], after: [showPlan(after)] };
  },
});

export const planCommands = [planCreate, planList, planChange];
