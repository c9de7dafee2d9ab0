import type { Tx } from '../db/transaction.ts';
import type { Network } from '../networks/network.ts';
import { findToken } from '../networks/network.ts';
import type { ArrivedTransfer, Candidate } from './match-sql.ts';
import { leaveUnexplained, matchByReference, matchExactly, readUnattached } from './match-sql.ts';
import { displayUnits, WINDOW_SKEW_SECONDS } from '../quotes/quote.ts';

const MOST_UNITS = 10n ** 16n;
const least = (left: bigint, right: bigint) => (left < right ? left : right);

export function asCandidate(network: Network, transfer: ArrivedTransfer): Candidate {
  const token = findToken(network, transfer.token);
  if (!token) throw new Error(`${transfer.token} on ${network.id} is not in our list.`);
  const scale = 10n ** BigInt(token.decimals - token.displayDecimals);
  // An amount above MOST_UNITS is cut off: no quote is near it, and it would not fit the database's integers.
  const exact = transfer.units / scale > MOST_UNITS ? undefined : displayUnits(transfer.units, token);
  return {
    id: transfer.id,
    token: transfer.token,
    to: transfer.to,
    blockTime: transfer.blockTime,
    references: transfer.references,
    displayUnits: exact ?? least(transfer.units / scale, MOST_UNITS),
    exact: exact !== undefined,
  };
}

/**
 * Attaches transfers that name their quote or match an amount exactly. The others are explained in a separate loop, so
 * that explaining never delays the commit of a payment.
 */
export async function matchTransfers(tx: Tx, network: Network, transferIds: readonly bigint[]): Promise<void> {
  const arrived = (await readUnattached(tx, transferIds)).map((transfer) => asCandidate(network, transfer));
  const named = new Set(await matchByReference(tx, network.id, arrived, WINDOW_SKEW_SECONDS));
  const candidates = arrived.filter((candidate) => !named.has(candidate.id));
  const exact = candidates.filter((candidate) => candidate.exact);
  const attached = new Set(await matchExactly(tx, network.id, exact, WINDOW_SKEW_SECONDS));
  await leaveUnexplained(
    tx,
    candidates.filter((candidate) => !attached.has(candidate.id)).map(({ id }) => id),
  );
}
