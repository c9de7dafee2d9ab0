import { z } from 'zod';
import { MICRO_USD_DECIMALS } from '../ledger/fee.ts';
import { parseDecimal } from '../lib/amount.ts';

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
  const units = parseDecimal(text.replace(/^-/, ''), MICRO_USD_DECIMALS);
  if (units === undefined || units > MAX_MONEY_MICRO_USD) {
    context.addIssue('must be an amount in USD up to 1000000000 with at most 6 decimals');
    return z.NEVER;
  }
  return text.startsWith('-') ? -units : units;
});
