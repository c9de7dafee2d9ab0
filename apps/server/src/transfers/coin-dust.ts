import type { Token } from '../networks/network.ts';
import { PRICE_DECIMALS } from '../prices/price.ts';

/**
 * Dust of coins: transfers worth less than ten cents. No quote is so small, and on some networks strangers send such
 * transfers all day.
 */

const DUST_CENTS = 10n;
const CENTS_PER_DOLLAR = 100n;

/** Base units of a coin that are worth ten cents, rounded down. `priceUnits` is the price of one coin in 10^-12 USD. */
export function dustUnits(coin: Token, priceUnits: bigint): bigint {
  if (priceUnits <= 0n) return 0n;
  const dollar = 10n ** BigInt(coin.decimals + PRICE_DECIMALS);
  return (DUST_CENTS * dollar) / (CENTS_PER_DOLLAR * priceUnits);
}
