import { parseDecimal } from '../../lib/amount.ts';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import type { Token } from '../../networks/network.ts';
import { SourceError } from '../chain-source.ts';

/** Amounts of statements: decimals that platforms write as text. */

/** The token that a platform's code of a coin stands for; undefined for coins that the network does not list. */
export function tokenOfCoin(network: ExchangeNetwork, coin: string): Token | undefined {
  return network.tokens.find((token) => token.contract === coin);
}

/** Units of a signed decimal. Throws when they cannot be said exactly: a payment must never be rounded, or passed over. */
export function readUnits(text: string, token: Token): bigint {
  const isNegative = text.startsWith('-');
  const units = parseDecimal(trimZeros(isNegative ? text.slice(1) : text), token.decimals);
  if (units === undefined)
    throw new SourceError(
      'inconsistent',
      `An amount of ${token.symbol} is not a decimal with ${token.decimals} digits.`,
    );
  return isNegative ? -units : units;
}

/** Zeros at the end say nothing, however many a platform writes. */
function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
