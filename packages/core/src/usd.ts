import { formatDecimal, parseSignedDecimal, requireDecimal } from './amount.ts';

/** Invoice amounts have eight decimals; fees and balances are whole millionths of a dollar. */

export const USD_DECIMALS = 8;
export const MICRO_USD_DECIMALS = 6;
export const CENT_DECIMALS = 2;
export const USD_UNITS_PER_CENT = 1_000_000n;
export const USD_UNITS_PER_MICRO = 100n;
export const MICRO_USD_PER_CENT = 10_000n;

/** At least two decimals, and no other trailing zeros. */
export const formatUsd = (units: bigint): string => formatDecimal(units, USD_DECIMALS, CENT_DECIMALS);

export const formatMicroUsd = (microUsd: bigint): string => formatDecimal(microUsd, MICRO_USD_DECIMALS, CENT_DECIMALS);

/** Millionths of a decimal such as `-12.5`; undefined for other texts. */
export const parseMicroUsd = (text: string): bigint | undefined => parseSignedDecimal(text, MICRO_USD_DECIMALS);

/** Rounded down to cents, for lists. */
export function toCents(text: string): string {
  const microUsd = parseMicroUsd(text);
  if (microUsd === undefined) return text;
  const rest = microUsd % MICRO_USD_PER_CENT;
  return formatMicroUsd(microUsd - rest - (rest < 0n ? MICRO_USD_PER_CENT : 0n));
}

/** Exact sum of amounts with up to eight decimals. */
export const sumUsd = (amounts: readonly string[]): string =>
  formatUsd(amounts.reduce((sum, amount) => sum + requireDecimal(amount, USD_DECIMALS), 0n));
