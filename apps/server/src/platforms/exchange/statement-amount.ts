import { parseDecimal, trimZeros } from '@counterfoil/core/amount.ts';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import type { Token } from '../../networks/network.ts';

/** Amounts in statements: decimal text. */

/** The token of a platform's coin code; undefined for coins that the network does not list. */
export function tokenOfCoin(network: ExchangeNetwork, coin: string): Token | undefined {
  return network.tokens.find((token) => token.contract === coin);
}

const MAX_CHARACTERS = 60;
/** Largest exponent that is read. */
const MAX_EXPONENT = 40;

const SCIENTIFIC = /^(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,3})$/;

/** Units of a decimal; undefined when not exact: a payment must never be rounded or skipped. */
export function readUnits(text: unknown, token: Token): bigint | undefined {
  if (typeof text !== 'string' || text.length > MAX_CHARACTERS) return undefined;
  const isNegative = text.startsWith('-');
  const plain = withoutExponent(isNegative ? text.slice(1) : text);
  // Platforms write any number of trailing zeros.
  const units = plain === undefined ? undefined : parseDecimal(trimZeros(plain), token.decimals);
  return units !== undefined && isNegative ? -units : units;
}

/** Removes an exponent (some platforms write 1E-8), working on digits instead of a float. */
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
