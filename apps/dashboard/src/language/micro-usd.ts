/** Sums of USD as whole millionths, which can be added without losing anything. */

const DECIMALS = 6;
const MICRO = 1_000_000n;

/** The millionths of a decimal such as `-12.5`; undefined for any other text. */
export function parseMicroUsd(text: string): bigint | undefined {
  const found = /^(-?)(\d{1,15})(?:\.(\d{1,6}))?$/.exec(text);
  if (!found) return undefined;
  const [, sign = '', whole = '0', part = ''] = found;
  const micro = BigInt(whole) * MICRO + BigInt(part.padEnd(DECIMALS, '0'));
  return sign === '-' ? -micro : micro;
}

/** A decimal with at least two digits after the point. */
export function formatMicroUsd(micro: bigint): string {
  const size = micro < 0n ? -micro : micro;
  const part = String(size % MICRO).padStart(DECIMALS, '0');
  const shown = part.replace(/0{1,4}$/, '');
  return `${micro < 0n ? '-' : ''}${size / MICRO}.${shown}`;
}

/** How many digits after the point the longest of some decimals has, at least two: a column shows as many in each row. */
export const decimalsOf = (sums: readonly string[]): number =>
  Math.max(2, ...sums.map((one) => one.split('.')[1]?.length ?? 0));

const CENT = 10_000n;

/** A sum in whole cents for lists, never more than there is. */
export function toCents(text: string): string {
  const micro = parseMicroUsd(text);
  if (micro === undefined) return text;
  const rest = micro % CENT;
  return formatMicroUsd(micro - rest - (rest < 0n ? CENT : 0n));
}
