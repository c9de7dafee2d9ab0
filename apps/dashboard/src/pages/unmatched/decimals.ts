/** Sums of decimals in texts, digit by digit. */

const decimalsOf = (decimal: string) => decimal.split('.')[1]?.length ?? 0;

const unitsOf = (decimal: string, decimals: number) => {
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.');
  const units = BigInt(`${whole}${fraction.padEnd(decimals, '0')}`);
  return decimal.startsWith('-') ? -units : units;
};

export function subtractDecimals(from: string, less: string): string {
  const decimals = Math.max(decimalsOf(from), decimalsOf(less));
  const units = unitsOf(from, decimals) - unitsOf(less, decimals);
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

export const withoutSign = (decimal: string): string => decimal.replace(/^-/, '');

const PERCENT_DECIMALS = 2;

/** How much of `whole` a part is, in percent with two decimals. */
export function percentOf(part: string, whole: string): string {
  const decimals = Math.max(decimalsOf(part), decimalsOf(whole));
  const [left, right] = [unitsOf(withoutSign(part), decimals), unitsOf(whole, decimals)];
  if (right === 0n) return '0';
  const hundredths = (left * 10n ** BigInt(2 * PERCENT_DECIMALS)) / right;
  const digits = String(hundredths).padStart(PERCENT_DECIMALS + 1, '0');
  return `${digits.slice(0, -PERCENT_DECIMALS)}.${digits.slice(-PERCENT_DECIMALS)}`;
}
