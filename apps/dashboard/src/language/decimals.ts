import { formatDecimal, parseSignedDecimal } from '@counterfoil/core/amount.ts';

/** Arithmetic on decimal texts, never as numbers, so that no digit is lost. */

const PERCENT = 10_000n;
const PERCENT_DECIMALS = 2;

export const decimalsOf = (text: string): number => text.split('.')[1]?.length ?? 0;

/** Most decimals of a column, at least two, so that all rows match. */
export const columnDecimals = (sums: readonly string[]): number => Math.max(2, ...sums.map(decimalsOf));

/** A decimal that has at most `decimals`, in units of its last digit. */
function unitsOf(text: string, decimals: number): bigint {
  const units = parseSignedDecimal(text, decimals);
  if (units === undefined) throw new Error(`${text} is not a decimal.`);
  return units;
}

const write = (units: bigint, decimals: number) => formatDecimal(units, decimals, decimals);

export function subtract(one: string, other: string): string {
  const decimals = Math.max(decimalsOf(one), decimalsOf(other));
  return write(unitsOf(one, decimals) - unitsOf(other, decimals), decimals);
}

/** Quotient cut after `decimals` digits; undefined for a zero divisor. */
export function divide(one: string, other: string, decimals: number): string | undefined {
  const scale = Math.max(decimalsOf(one), decimalsOf(other));
  const divisor = unitsOf(other, scale);
  if (divisor === 0n) return undefined;
  return write((unitsOf(one, scale) * 10n ** BigInt(decimals)) / divisor, decimals);
}

/** A part in percent with two decimals; undefined for a zero whole. */
export function percentOf(part: string, whole: string): string | undefined {
  const scale = Math.max(decimalsOf(part), decimalsOf(whole));
  const divisor = unitsOf(whole, scale);
  if (divisor === 0n) return undefined;
  const scaled = unitsOf(part, scale) * PERCENT * 2n;
  const half = scaled < 0n ? -divisor : divisor;
  return write((scaled + half) / (2n * divisor), PERCENT_DECIMALS);
}

export const withoutSign = (text: string): string => text.replace(/^-/, '');

export const isNothing = (text: string): boolean => !/[1-9]/.test(text);

/** A decimal with `decimals` digits after the point, or more if it has them. */
function withDecimals(text: string, decimals: number): string {
  const present = Math.max(decimals, decimalsOf(text));
  return write(unitsOf(text, present), present);
}

/** The digits from where an amount first differs: what distinguishes two amounts. */
export function splitAtDifference(amount: string, base: string): { same: string; different: string } {
  const decimals = Math.max(decimalsOf(amount), decimalsOf(base));
  const present = withDecimals(base, decimals);
  const at = amount.split('').findIndex((digit, index) => digit !== present[index]);
  const point = amount.indexOf('.');
  // If even the integer part differs, the decimals are marked.
  const from = at === -1 ? amount.length : at <= point ? point + 1 : at;
  return { same: amount.slice(0, from), different: amount.slice(from) };
}
