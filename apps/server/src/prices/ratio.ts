/** Exact fractions, so that a price is rounded only once, at the end. */
export type Ratio = { numerator: bigint; denominator: bigint };

const MAX_TEXT = 40;
const DECIMAL = /^(\d+)(?:\.(\d+))?$/;

/** Parses a positive decimal exactly. */
export function parseRatio(text: string): Ratio | undefined {
  const match = text.length > MAX_TEXT ? undefined : DECIMAL.exec(text);
  if (!match) return undefined;
  const [, whole = '', fraction = ''] = match;
  const numerator = BigInt(whole + fraction);
  return numerator === 0n ? undefined : { numerator, denominator: 10n ** BigInt(fraction.length) };
}

export function multiplyRatios(left: Ratio, right: Ratio): Ratio {
  return { numerator: left.numerator * right.numerator, denominator: left.denominator * right.denominator };
}

export function invertRatio({ numerator, denominator }: Ratio): Ratio {
  return { numerator: denominator, denominator: numerator };
}

export function middleOf(left: Ratio, right: Ratio): Ratio {
  return {
    numerator: left.numerator * right.denominator + right.numerator * left.denominator,
    denominator: 2n * left.denominator * right.denominator,
  };
}
