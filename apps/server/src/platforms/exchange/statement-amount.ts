import { parseDecimal } from '../../lib/amount.ts';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import type { Token } from '../../networks/network.ts';

/** Amounts of statements: decimals that platforms write as text. */

/** The token that a platform's code of a coin stands for; undefined for coins that the network does not list. */
export function tokenOfCoin(network: ExchangeNetwork, coin: string): Token | undefined {
  return network.tokens.find((token) => token.contract === coin);
}

/** Characters of the longest amount that is read. */
const MAX_CHARACTERS = 60;
/** Digits by which an exponent may move the point at most. */
const MAX_EXPONENT = 40;

const SCIENTIFIC = /^(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,3})$/;

/**
 * Units of a signed decimal, also of one with an exponent. Undefined when they cannot be said exactly: a payment must never be
 * rounded, or passed over.
 */
export function readUnits(text: unknown, token: Token): bigint | undefined {
  if (typeof text !== 'string' || text.length > MAX_CHARACTERS) return undefined;
  const isNegative = text.startsWith('-');
  const plain = withoutExponent(isNegative ? text.slice(1) : text);
  const units = plain === undefined ? undefined : parseDecimal(trimZeros(plain), token.decimals);
  return units !== undefined && isNegative ? -units : units;
}

/** The same number without an exponent, digit by digit: some platforms write small amounts as 1E-8. */
function withoutExponent(text: string): string | undefined {
  const match = SCIENTIFIC.exec(text);
  if (!match) return text;
  const [, whole = '', fraction = '', exponentText = ''] = match;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > MAX_EXPONENT) return undefined;
  const digits = '0'.repeat(MAX_EXPONENT) + whole + fraction + '0'.repeat(MAX_EXPONENT + 1);
  const point = MAX_EXPONENT + whole.length + exponent;
  return `${digits.slice(0, point).replace(/^0+(?=\d)/, '')}.${digits.slice(point)}`;
}

/** Zeros at the end of a fraction say nothing, however many a platform writes. */
function trimZeros(text: string): string {
  const point = text.indexOf('.');
  if (point === -1) return text;
  let end = text.length;
  while (text[end - 1] === '0') end -= 1;
  return text.slice(0, end === point + 1 && end < text.length ? point : end);
}
