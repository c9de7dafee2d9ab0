import type { Network } from '../networks/network.ts';
import { findToken } from '../networks/network.ts';
import type { ListedTransfer, SoughtAmount } from './unmatched-list-sql.ts';

/** The amounts for which quotes are looked for, to find out what a transfer was meant for. Pure. */

/** Reasons after which quotes in other tokens of the network are looked for too: somebody may have sent the same number of them. */
const OTHER_TOKENS = new Set(['wrong_token', 'named', 'unknown']);
/** An amount above any quote's, which still fits the database's integers. */
const MOST_UNITS = 10n ** 16n;

const least = (left: bigint, right: bigint) => (left < right ? left : right);

export function soughtAmounts(
  network: Network,
  {
    id,
    token: symbol,
    to,
    units,
    reason,
    quoteId,
    blockTime,
  }: Pick<ListedTransfer, 'id' | 'token' | 'to' | 'units' | 'reason' | 'quoteId' | 'blockTime'>,
): SoughtAmount[] {
  const own = findToken(network, symbol);
  if (!own) return [];
  const tokens = OTHER_TOKENS.has(reason) ? network.tokens : [own];
  return tokens.map((token) => ({
    transferId: id,
    network: network.id,
    token: token.symbol,
    address: to,
    displayUnits: least(
      MOST_UNITS,
      (BigInt(units) * 10n ** BigInt(token.displayDecimals)) / 10n ** BigInt(own.decimals),
    ),
    quoteId,
    at: blockTime,
  }));
}
