/** USD sums as whole millionths, without loss. */

const DECIMALS = 6;
const MICRO = 1_000_000n;

/** Millionths of a decimal such as `-12.5`; undefined for other texts. */
export function parseMicroUsd(text: string): bigint | undefined {
  const found = /^(-?)(\d{1,15})(?:\.(\d{1,6}))?$/.exec(text);
  if (!found) return undefined;
  const [, sign = '', whole = '0', part = ''] = found;
  const micro = BigInt(whole) * MICRO + BigInt(part.padEnd(DECIMALS, '0'));
  return sign === '-' ? -micro : micro;
}

/** At least two digits after the point. */
export function formatMicroUsd(micro: bigint): string {
  const size = micro < 0n ? -micro : micro;
  const part = String(size % MICRO).padStart(DECIMALS, '0');
  const shown = part.replace(/0{1,4}$/, '');
  return `${micro < 0n ? '-' : ''}${size / MICRO}.${shown}`;
}

/** Most decimals of a column, at least two, so that all rows match. */
export const decimalsOf = (sums: readonly string[]): number =>
  Math.max(2, ...sums.map((one) => one.split('.')[1]?.length ?? 0));

const CENT = 10_000n;

/** Rounded down to cents for lists. */
export function toCents(text: string): string {
  const micro = parseMicroUsd(text);
  if (micro === undefined) return text;
  const rest = micro % CENT;
  return formatMicroUsd(micro - rest - (rest < 0n ? CENT : 0n));
}
