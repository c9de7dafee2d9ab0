import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import { normalizeAddress } from '../networks/address.ts';
import { findNetwork } from '../networks/network.ts';
import { findStore } from '../stores/store-store.ts';
import { markWalletRemoved } from './wallet-store.ts';

export type RemoveWalletInput = { merchantId: string; network: string; address: string; reason: string; actor: string };

/**
 * Ends that a store receives at an address: nothing new is quoted there. What was quoted stays payable, and the address is
 * watched until its last amount is free. It still belongs to its merchant.
 */
export async function removeWallet(
  database: Database,
  clock: Clock,
  input: RemoveWalletInput,
): Promise<{ address: string }> {
  const store = await findStore(database.queries, input.merchantId);
  if (!store) throw new OperatorError(`There is no store ${input.merchantId}.`);
  const network = findNetwork(input.network);
  const address = network && normalizeAddress(network.family, input.address);
  if (!network || !address) throw new OperatorError(`${input.address} is not an address of ${input.network}.`);
  const at = new Date(clock.nowMs());
  return inTransaction(database, async (tx) => {
    if (!(await markWalletRemoved(tx, { storeId: store.id, network: network.symbol, address, at })))
      throw new OperatorError(`The store does not receive on ${network.symbol} at ${address}.`);
    await recordAudit(tx, clock, {
      actor: input.actor,
      action: 'wallet.remove',
      subject: `store:${store.id}`,
      details: { before: { network: network.symbol, address }, reason: input.reason },
    });
    return { address };
  });
}
