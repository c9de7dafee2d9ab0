/** Exact decimals as bigint units: with `decimals` 6, units are millionths. */

const DECIMAL = /^(0|[1-9]\d*)(?:\.(\d+))?$/;

/** Undefined when the text is not a plain decimal or has more than `decimals` digits after the point. */
export function parseDecimal(text: string, decimals: number): bigint | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const [, whole = '', fraction = ''] = match;
  if (fraction.length > decimals) return undefined;
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** The same with `-` in front of negative amounts. */
export function parseSignedDecimal(text: string, decimals: number): bigint | undefined {
  const isNegative = text.startsWith('-');
  const units = parseDecimal(isNegative ? text.slice(1) : text, decimals);
  return isNegative && units !== undefined ? -units : units;
}

/** Throws, because an unreadable amount must never count as nothing. */
export function requireDecimal(text: string, decimals: number): bigint {
  const units = parseDecimal(text, decimals);
  if (units === undefined) throw new Error(`${text} is not an amount with at most ${decimals} decimals.`);
  return units;
}

/** At least `minimumDecimals` digits after the point and no other trailing zeros. */
export function formatDecimal(units: bigint, decimals: number, minimumDecimals = 0): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits
    .slice(digits.length - decimals)
    .replace(/0+$/, '')
    .padEnd(minimumDecimals, '0');
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`;
}

/** Without zeros at the end of a fraction. */
export function trimZeros(decimal: string): string {
  const point = decimal.indexOf('.');
  if (point === -1) return decimal;
  let end = decimal.length;
  while (decimal[end - 1] === '0') end -= 1;
  return decimal.slice(0, end === point + 1 && end < decimal.length ? point : end);
}

/** numerator / denominator rounded half up; both must be non-negative. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator * 2n + denominator) / (denominator * 2n);
}
