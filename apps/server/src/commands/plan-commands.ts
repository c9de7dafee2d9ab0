import { z } from 'zod';
import { FEE_RATE_DECIMALS } from '../ledger/fee.ts';
import { createPlan } from '../merchants/create-plan.ts';
import { CONTRACT_LIMITS } from '../stores/admission.ts';
import { command } from './command.ts';
import { money, percent } from './command-fields.ts';
import type { OperatorContext } from './operator-context.ts';

const limit = (usual: number) => z.coerce.number().int().min(1).max(1_000_000).default(usual);

const planInput = z.object({
  code: z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be lower-case letters, digits and dashes'),
  'fee-rate': percent(FEE_RATE_DECIMALS),
  'minimum-fee': money.refine((microUsd) => microUsd >= 0n, 'must not be negative').default(0n),
  'trial-days': z.coerce.number().int().min(0).max(3650).default(0),
  'create-burst': limit(CONTRACT_LIMITS.create.burst),
  'create-sustained': limit(CONTRACT_LIMITS.create.sustained),
  'lookup-burst': limit(CONTRACT_LIMITS.lookup.burst),
  'lookup-sustained': limit(CONTRACT_LIMITS.lookup.sustained),
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
    const plan = {
      code: input.code,
      feeRatePercent: input['fee-rate'],
      minimumFeeMicroUsd: input['minimum-fee'],
      trialDays: input['trial-days'],
      createBurst: input['create-burst'],
      createSustained: input['create-sustained'],
      lookupBurst: input['lookup-burst'],
      lookupSustained: input['lookup-sustained'],
    };
    await createPlan(context, context.actor, plan);
    return { plan: plan.code };
  },
});

export const planCommands = [planCreate];
