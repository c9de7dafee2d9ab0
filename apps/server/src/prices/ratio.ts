/** Exact fractions: what exchanges say, before it is quantised once. */
export type Ratio = { numerator: bigint; denominator: bigint };

const MAX_TEXT = 40;
const DECIMAL = /^(\d+)(?:\.(\d+))?$/;

/** The exact value of a plain positive decimal, however many digits it has behind the point. */
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

/** Halfway between two. */
export function middleOf(left: Ratio, right: Ratio): Ratio {
  return {
    numerator: left.numerator * right.denominator + right.numerator * left.denominator,
    denominator: 2n * left.denominator * right.denominator,
  };
}
