import { recordAudit } from '../audit/record-audit.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { normalizeAddress } from '../networks/address.ts';
import type { NetworksContext } from '../networks/networks.ts';
import { markWalletRemoved } from './wallet-sql.ts';

type RemoveWalletInput = { store: StoreRef; network: string; address: string; reason: string };

/**
 * Removes a wallet: nothing new is quoted at its address. Amounts that were quoted stay payable, and the address is
 * watched until the last of these amounts is free. The address still belongs to its merchant.
 */
export async function removeWallet(
  { database, clock, networks }: NetworksContext,
  actor: Actor,
  { store, ...input }: RemoveWalletInput,
): Promise<{ address: string }> {
  const network = networks.get(input.network);
  const address = network && normalizeAddress(network.family, input.address);
  if (!network || !address) throw new Refusal('ADDRESS_INVALID', { network: input.network, address: input.address });
  const at = new Date(clock.nowMs());
  return inTransaction(database, async (tx) => {
    if (!(await markWalletRemoved(tx, { storeId: store.id, network: network.id, address, at })))
      throw new Refusal('WALLET_UNKNOWN', { network: network.id, address });
    await recordAudit(tx, clock, actor, {
      action: 'wallet.remove',
      subject: `store:${store.id}`,
      details: { before: { network: network.id, address }, reason: input.reason },
    });
    return { address };
  });
}
