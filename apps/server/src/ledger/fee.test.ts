import { parseDecimal } from '@counterfoil/core/amount.ts';
import { USD_DECIMALS } from '@counterfoil/core/usd.ts';
import { expect, test } from 'vitest';
import type { FeePlan } from './fee.ts';
import { computeFee } from './fee.ts';

const half: FeePlan = { rateUnits: 5000n, discountUnits: 0n, minimumMicroUsd: 0n };

test.each<[string, string, FeePlan, boolean, bigint]>([
  ['half a percent of 50 USD', '50', half, false, 250_000n],
  ['exact to the micro-USD', '0.0002', half, false, 1n],
  ['half of a micro-USD rounds up', '0.0001', half, false, 1n],
  ['less than half rounds down', '0.00009999', half, false, 0n],
  ['the largest amount', '1000000', half, false, 5_000_000_000n],
  ['a discount of 10 %', '50', { ...half, discountUnits: 1000n }, false, 225_000n],
  ['a discount of 33.33 %', '100', { ...half, discountUnits: 3333n }, false, 333_350n],
  ['the minimum applies below it', '1', { ...half, minimumMicroUsd: 10_000n }, false, 10_000n],
  ['the minimum is no surcharge above it', '50', { ...half, minimumMicroUsd: 10_000n }, false, 250_000n],
  ['a trial waives everything', '50', { ...half, minimumMicroUsd: 10_000n }, true, 0n],
  [
    'a full discount waives the minimum too',
    '50',
    { ...half, discountUnits: 10_000n, minimumMicroUsd: 10_000n },
    false,
    0n,
  ],
  ['a plan without a rate is free', '50', { ...half, rateUnits: 0n }, false, 0n],
])('the fee of an invoice: %s', (_rule, amount, plan, inTrial, fee) => {
  expect(computeFee(parseDecimal(amount, USD_DECIMALS) ?? -1n, plan, inTrial)).toBe(fee);
});
