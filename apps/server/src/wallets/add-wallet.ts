import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { normalizeAddress } from '../networks/address.ts';
import { findNetwork, NETWORKS } from '../networks/network.ts';
import { claimAddress, insertWallet } from './wallet-sql.ts';

type AddWalletInput = { store: StoreRef; network: string; address: string };

/** Lets a store receive on a network at an address. An address belongs to one merchant. */
export async function addWallet(
  { database, clock }: Context,
  actor: Actor,
  { store, ...input }: AddWalletInput,
): Promise<{ address: string }> {
  if (!store.live) throw new Refusal('TEST_STORE_ON_LIVE_NETWORK', { store: store.merchantId });
  const network = findNetwork(input.network);
  if (!network)
    throw new Refusal('NETWORK_UNKNOWN', { network: input.network, known: NETWORKS.map((one) => one.symbol) });
  const address = normalizeAddress(network.family, input.address);
  if (!address) throw new Refusal('ADDRESS_INVALID', { network: network.name, address: input.address });
  const wallet = {
    storeId: store.id,
    merchantAccountId: store.merchantAccountId,
    network: network.symbol,
    family: network.family,
    address,
    at: new Date(clock.nowMs()),
  };
  return inTransaction(database, async (tx) => {
    if ((await claimAddress(tx, wallet)) !== store.merchantAccountId) {
      throw new Refusal('ADDRESS_OF_ANOTHER_MERCHANT', { address });
    }
    if (!(await insertWallet(tx, wallet))) throw new Refusal('WALLET_EXISTS', { network: network.symbol, address });
    await recordAudit(tx, clock, actor, {
      action: 'wallet.add',
      subject: `store:${store.id}`,
      details: { after: { network: network.symbol, address } },
    });
    return { address };
  });
}
