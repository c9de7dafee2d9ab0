import { normalizeAddress } from '@counterfoil/core/address.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Operator, Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { isExchange } from '../networks/exchange-networks.ts';
import type { NetworksContext } from '../networks/networks.ts';
import { isSandbox } from '../networks/sandbox-networks.ts';
import type { AnnouncedMethod } from './request-method-change.ts';
import { requestMethodChange } from './request-method-change.ts';

type AddWalletInput = {
  store: StoreRef;
  network: string;
  address: string;
  now?: { reason: string } | undefined;
};

type AddedWallet = {
  address: string;
  waiting?: AnnouncedMethod;
};

/** Adds an address, immediately or after the merchant's delay. An address belongs to one merchant. */
export async function addWallet(
  context: NetworksContext & MailContext,
  actor: Operator | Person,
  { store, now, ...input }: AddWalletInput,
): Promise<AddedWallet> {
  if (!store.live) throw new Refusal('TEST_STORE_ON_LIVE_NETWORK', { store: store.merchantId });
  const { networks } = context;
  const network = networks.get(input.network);
  if (!network) throw new Refusal('NETWORK_UNKNOWN', { network: input.network, known: [...networks.keys()] });
  if (isExchange(network)) throw new Refusal('EXCHANGE_KEY_NEEDED', { network: network.id });
  if (isSandbox(network)) throw new Refusal('SANDBOX_NETWORK', { network: network.id });
  const address = normalizeAddress(network.family, input.address);
  if (!address) throw new Refusal('ADDRESS_INVALID', { network: network.name, address: input.address });
  const place = { network: network.id, family: network.family, address };
  const requested = await requestMethodChange(context, actor, { store, place, now });
  if (requested.isPlaced) return { address };
  return { address, waiting: { change: requested.change, effectiveAt: requested.effectiveAt } };
}
