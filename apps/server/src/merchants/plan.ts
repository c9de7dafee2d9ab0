import { formatDecimal, requireDecimal } from '@counterfoil/core/amount.ts';
import { formatMicroUsd } from '@counterfoil/core/usd.ts';
import { DISCOUNT_DECIMALS, FEE_RATE_DECIMALS } from '../ledger/fee.ts';
import type { PlanInput } from './plan-sql.ts';

/** Plans in audit entries and for operators. */

const trimmed = (text: string, decimals: number) => formatDecimal(requireDecimal(text, decimals), decimals);

export const formatFeeRate = (text: string) => trimmed(text, FEE_RATE_DECIMALS);

export const formatDiscount = (text: string) => trimmed(text, DISCOUNT_DECIMALS);

/** A plan as audit entries describe it. */
export function describePlan({ code, feeRatePercent, minimumFeeMicroUsd, ...rest }: PlanInput): PlanDescription {
  const { trialDays, createBurst, createSustained, lookupBurst, lookupSustained } = rest;
  return {
    code,
    feeRatePercent: formatFeeRate(feeRatePercent),
    trialDays,
    createBurst,
    createSustained,
    lookupBurst,
    lookupSustained,
    minimumFeeUsd: formatMicroUsd(minimumFeeMicroUsd),
  };
}

export type PlanDescription = Omit<PlanInput, 'minimumFeeMicroUsd'> & { minimumFeeUsd: string };
