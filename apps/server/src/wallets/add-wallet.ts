import { recordAudit } from '../audit/record-audit.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { normalizeAddress } from '../networks/address.ts';
import { isExchange } from '../networks/exchange-networks.ts';
import type { NetworksContext } from '../networks/networks.ts';
import { isSandbox } from '../networks/sandbox-networks.ts';
import { claimAddress, insertWallet } from './wallet-sql.ts';

type AddWalletInput = { store: StoreRef; network: string; address: string };

/** Lets a store receive on a network at an address. An address belongs to one merchant. */
export async function addWallet(
  { database, clock, networks }: NetworksContext,
  actor: Actor,
  { store, ...input }: AddWalletInput,
): Promise<{ address: string }> {
  if (!store.live) throw new Refusal('TEST_STORE_ON_LIVE_NETWORK', { store: store.merchantId });
  const network = networks.get(input.network);
  if (!network) throw new Refusal('NETWORK_UNKNOWN', { network: input.network, known: [...networks.keys()] });
  if (isExchange(network)) throw new Refusal('EXCHANGE_KEY_NEEDED', { network: network.id });
  if (isSandbox(network)) throw new Refusal('SANDBOX_NETWORK', { network: network.id });
  const address = normalizeAddress(network.family, input.address);
  if (!address) throw new Refusal('ADDRESS_INVALID', { network: network.name, address: input.address });
  const wallet = {
    storeId: store.id,
    merchantAccountId: store.merchantAccountId,
    network: network.id,
    family: network.family,
    address,
    at: new Date(clock.nowMs()),
  };
  return inTransaction(database, async (tx) => {
    if ((await claimAddress(tx, wallet)) !== store.merchantAccountId) {
      throw new Refusal('ADDRESS_OF_ANOTHER_MERCHANT', { address });
    }
    if (!(await insertWallet(tx, wallet))) throw new Refusal('WALLET_EXISTS', { network: network.id, address });
    await recordAudit(tx, clock, actor, {
      action: 'wallet.add',
      subject: `store:${store.id}`,
      details: { after: { network: network.id, address } },
    });
    return { address };
  });
}
