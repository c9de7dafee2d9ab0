import { parseDecimal } from '../../lib/amount.ts';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import type { Token } from '../../networks/network.ts';
import { SourceError } from '../../sources/chain-source.ts';

/** Amounts of statements: decimals that platforms write as text. */

/** The token that a platform's code of a coin stands for; undefined for coins that the network does not list. */
export function tokenOfCoin(network: ExchangeNetwork, coin: string): Token | undefined {
  return network.tokens.find((token) => token.contract === coin);
}

/** Characters of the longest amount that is read. */
const MAX_CHARACTERS = 60;

/** Units of a signed decimal. Throws when they cannot be said exactly: a payment must never be rounded, or passed over. */
export function readUnits(text: string, token: Token): bigint {
  const isNegative = text.startsWith('-');
  const digits = trimZeros((isNegative ? text.slice(1) : text).slice(0, MAX_CHARACTERS));
  const units = text.length > MAX_CHARACTERS ? undefined : parseDecimal(digits, token.decimals);
  if (units === undefined)
    throw new SourceError(
      'inconsistent',
      `An amount of ${token.symbol} is not a decimal with ${token.decimals} digits.`,
    );
  return isNegative ? -units : units;
}

/** Zeros at the end of a fraction say nothing, however many a platform writes. */
function trimZeros(text: string): string {
  const point = text.indexOf('.');
  if (point === -1) return text;
  let end = text.length;
  while (text[end - 1] === '0') end -= 1;
  return text.slice(0, end === point + 1 && end < text.length ? point : end);
}
