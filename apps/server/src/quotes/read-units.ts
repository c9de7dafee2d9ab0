import type { Network } from '../networks/network.ts';
import { findToken } from '../networks/network.ts';
import { displayUnits } from './quote.ts';

/** A transferred amount at the precision of quotes. */
export type QuotedUnits = {
  displayUnits: bigint;
  exact: boolean;
};

/** Larger amounts are capped: no quote is near, and the number would not fit the database's integers. */
const MOST_UNITS = 10n ** 16n;

/** Rounds down to the precision of quotes; `exact` when nothing was cut off. */
export function readUnits(network: Network, symbol: string, units: bigint): QuotedUnits {
  const token = findToken(network, symbol);
  if (!token) throw new Error(`${symbol} on ${network.id} is not in our list.`);
  const rounded = units / 10n ** BigInt(token.decimals - token.displayDecimals);
  if (rounded > MOST_UNITS) return { displayUnits: MOST_UNITS, exact: false };
  return { displayUnits: rounded, exact: displayUnits(units, token) !== undefined };
}
