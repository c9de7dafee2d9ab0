import type { Tx } from '../db/transaction.ts';
import { findNetwork, findToken } from '../networks/network.ts';
import { recordChanges } from './change-feed-store.ts';
import type { ArrivedTransfer, Candidate } from './match-store.ts';
import { explainUnmatched, matchByReference, matchExactly, readUnattached } from './match-store.ts';
import { displayUnits, WINDOW_SKEW_SECONDS } from './quote.ts';

function asCandidate(network: string, transfer: ArrivedTransfer): Candidate {
  const found = findNetwork(network);
  const token = found && findToken(found, transfer.token);
  if (!token) throw new Error(`${transfer.token} on ${network} is not in our list.`);
  const exact = displayUnits(transfer.units, token);
  const scale = 10n ** BigInt(token.decimals - token.displayDecimals);
  return {
    id: transfer.id,
    token: transfer.token,
    to: transfer.to,
    blockTime: transfer.blockTime,
    references: transfer.references,
    displayUnits: exact ?? transfer.units / scale,
    exact: exact !== undefined,
  };
}

/** Attaches what names its quote or matches an amount exactly, and says of the rest why it does not. */
export async function matchTransfers(tx: Tx, network: string, transferIds: readonly bigint[]): Promise<void> {
  const arrived = (await readUnattached(tx, transferIds)).map((transfer) => asCandidate(network, transfer));
  const named = new Set(await matchByReference(tx, network, arrived, WINDOW_SKEW_SECONDS));
  const candidates = arrived.filter((candidate) => !named.has(candidate.id));
  const exact = candidates.filter((candidate) => candidate.exact);
  const attached = new Set(await matchExactly(tx, network, exact, WINDOW_SKEW_SECONDS));
  const meantFor = await explainUnmatched(
    tx,
    network,
    findNetwork(network)?.tokens.map((token) => token.symbol) ?? [],
    candidates.filter((candidate) => !attached.has(candidate.id)),
    WINDOW_SKEW_SECONDS,
  );
  await recordChanges(tx, meantFor);
}
