import type { Tx } from '../db/transaction.ts';
import type { Network } from '../networks/network.ts';
import { leaveUnexplained, matchByReference, matchExactly, readUnattached } from './match-sql.ts';

/**
 * Attaches transfers that name their quote or match an amount exactly. All others are explained in a separate loop, so
 * that explaining never delays the commit of a payment.
 */
export async function matchTransfers(tx: Tx, network: Network, transferIds: readonly bigint[]): Promise<void> {
  const unmatched = await readUnattached(tx, network, transferIds);
  const named = new Set(await matchByReference(tx, network.id, unmatched));
  const unnamed = unmatched.filter(({ id }) => !named.has(id));
  const exact = unnamed.filter((transfer) => transfer.exact);
  const attached = new Set(await matchExactly(tx, network.id, exact));
  await leaveUnexplained(
    tx,
    unnamed.filter(({ id }) => !attached.has(id)).map(({ id }) => id),
  );
}
