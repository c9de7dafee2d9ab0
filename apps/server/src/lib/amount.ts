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

/** numerator / denominator rounded half up; both must be non-negative. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator * 2n + denominator) / (denominator * 2n);
}
