import type { Tx } from '../db/transaction.ts';
import type { Network } from '../networks/network.ts';
import { leaveUnexplained, matchByReference, matchExactly, readUnattached } from './match-sql.ts';

type MeantTransfer = { id: bigint; invoiceId: bigint };

/**
 * Attaches transfers that name their quote or match an amount exactly. All others are explained in a separate loop, so
 * that explaining never delays the commit of a payment. Returns transfers that name a quote and do not pay it, of stores
 * with webhook endpoints.
 */
export async function matchTransfers(
  tx: Tx,
  network: Network,
  transferIds: readonly bigint[],
): Promise<MeantTransfer[]> {
  const unmatched = await readUnattached(tx, network, transferIds);
  const naming = await matchByReference(tx, network.id, unmatched);
  const named = new Set(naming.map(({ id }) => id));
  const unnamed = unmatched.filter(({ id }) => !named.has(id));
  const exact = unnamed.filter((transfer) => transfer.exact);
  const attached = new Set(await matchExactly(tx, network.id, exact));
  await leaveUnexplained(
    tx,
    unnamed.filter(({ id }) => !attached.has(id)).map(({ id }) => id),
  );
  return naming.flatMap(({ id, meantFor }) => (meantFor === null ? [] : [{ id, invoiceId: meantFor }]));
}
