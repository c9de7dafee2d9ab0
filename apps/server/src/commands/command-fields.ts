import { parseDecimal } from '@counterfoil/core/amount.ts';
import { MICRO_USD_DECIMALS, parseMicroUsd } from '@counterfoil/core/usd.ts';
import { z } from 'zod';

/** Fields that several commands read. */

export const identifier = z
  .string()
  .regex(/^\d{1,18}$/, 'must be a number')
  .transform(BigInt);
export const title = z.string().trim().min(1).max(255);
export const yesNo = z.enum(['yes', 'no']).transform((word) => word === 'yes');
export const percent = (decimals: number) =>
  z.string().refine((text) => {
    const units = parseDecimal(text, decimals);
    return units !== undefined && units <= 100n * 10n ** BigInt(decimals);
  }, `must be a decimal up to 100 with at most ${decimals} digits behind the point`);
const MAX_MONEY_MICRO_USD = 1_000_000_000n * 10n ** BigInt(MICRO_USD_DECIMALS);
export const money = z.string().transform((text, context) => {
  const microUsd = parseMicroUsd(text);
  if (microUsd === undefined || microUsd > MAX_MONEY_MICRO_USD || microUsd < -MAX_MONEY_MICRO_USD) {
    context.addIssue('must be an amount in USD up to 1000000000 with at most 6 decimals');
    return z.NEVER;
  }
  return microUsd;
});
