import { divideHalfUp } from '@counterfoil/core/amount.ts';
import { USD_UNITS_PER_MICRO } from '@counterfoil/core/usd.ts';

export const FEE_RATE_DECIMALS = 4;
export const DISCOUNT_DECIMALS = 2;

export type FeePlan = {
  /** The fee rate, in percent with four decimals: 5000n is 0.5 %. */
  rateUnits: bigint;
  /** The discount on the fee, in percent with two decimals: 1000n is 10 %. */
  discountUnits: bigint;
  minimumMicroUsd: bigint;
};

const WHOLE_PERCENT_RATE = 100n * 10n ** BigInt(FEE_RATE_DECIMALS);
const WHOLE_PERCENT_DISCOUNT = 100n * 10n ** BigInt(DISCOUNT_DECIMALS);

/** The fee, from units of 10^-8 USD. None in a trial or with a full discount, despite a minimum. */
export function computeFee(amountUnits: bigint, plan: FeePlan, inTrial: boolean): bigint {
  const kept = WHOLE_PERCENT_DISCOUNT - plan.discountUnits;
  if (inTrial || kept === 0n) return 0n;
  const fee = divideHalfUp(
    amountUnits * plan.rateUnits * kept,
    USD_UNITS_PER_MICRO * WHOLE_PERCENT_RATE * WHOLE_PERCENT_DISCOUNT,
  );
  return fee > plan.minimumMicroUsd ? fee : plan.minimumMicroUsd;
}
