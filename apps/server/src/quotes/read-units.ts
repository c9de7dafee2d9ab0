import type { Network } from '../networks/network.ts';
import { findToken } from '../networks/network.ts';
import { displayUnits } from './quote.ts';

/** A transferred amount in the digits that quotes have. */
export type QuotedUnits = {
  /** The transferred amount, rounded down to the digits that quotes have. */
  displayUnits: bigint;
  /** Whether `displayUnits` is exactly the amount that was transferred. */
  exact: boolean;
};

/**
 * The largest amount of a transfer that is compared with quotes. A larger amount counts as this amount: no quote is
 * near it, and the number would not fit the database's integers.
 */
const MOST_UNITS = 10n ** 16n;

/**
 * Rounds an amount in base units of a token down to the decimals that quotes have; `exact` says whether nothing was cut
 * off.
 */
export function readUnits(network: Network, symbol: string, units: bigint): QuotedUnits {
  const token = findToken(network, symbol);
  if (!token) throw new Error(`${symbol} on ${network.id} is not in our list.`);
  const rounded = units / 10n ** BigInt(token.decimals - token.displayDecimals);
  if (rounded > MOST_UNITS) return { displayUnits: MOST_UNITS, exact: false };
  return { displayUnits: rounded, exact: displayUnits(units, token) !== undefined };
}
