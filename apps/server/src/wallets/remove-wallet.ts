import { normalizeAddress } from '@counterfoil/core/address.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator, Person } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import { holdMethods } from '../merchants/merchant-sql.ts';
import { mailOwners } from '../people/mail-owners.ts';
import { requireElevated } from '../people/require-elevated.ts';
import type { NetworksContext } from '../networks/networks.ts';
import { decideWaiting } from './method-change-sql.ts';
import { markWalletRemoved } from './wallet-sql.ts';

type RemoveWalletInput = { store: StoreRef; network: string; address: string; reason: string };

/**
 * Removes a wallet: nothing new is quoted there. Open quotes stay payable, the address is watched until the last amount
 * is free, and it still belongs to its merchant. The store's pending change on the network ends. Owners are notified;
 * for a live store a person needs two-factor. Also possible while locked: a smuggled-in address must be removable.
 */
export async function removeWallet(
  { database, clock, networks, jobs }: NetworksContext & Partial<Outbox>,
  actor: Operator | Person,
  { store, ...input }: RemoveWalletInput,
): Promise<{ address: string }> {
  const network = networks.get(input.network);
  const address = network && normalizeAddress(network.family, input.address);
  if (!network || !address) throw new Refusal('ADDRESS_INVALID', { network: input.network, address: input.address });
  if (actor.kind === 'person') requireElevated(actor);
  if (actor.kind === 'person' && store.live && !actor.hasFactor) throw new Refusal('FACTOR_NEEDED');
  const { id: storeId, merchantAccountId, live } = store;
  return inTransaction(database, async (tx) => {
    await holdMethods(tx, merchantAccountId);
    const at = new Date(clock.nowMs());
    const walletId = await markWalletRemoved(tx, { storeId, network: network.id, address, at });
    if (walletId === undefined) throw new Refusal('WALLET_UNKNOWN', { network: network.id, address });
    const waiting = { merchantAccountId, storeId, network: network.id };
    const ended = await decideWaiting(tx, waiting, { state: 'removed', by: nameOfActor(actor), at });
    const by = actor.kind === 'person' ? actor.code : 'operator';
    const data = { wallet: String(walletId), by, at: String(at.getTime()) };
    if (live) await mailOwners(tx, { clock, jobs }, { merchantAccountId, template: 'method-removed', data });
    await recordAudit(tx, clock, actor, {
      action: 'wallet.remove',
      subject: `store:${storeId}`,
      details: {
        before: { network: network.id, address },
        reason: input.reason,
        ...(ended.length > 0 && { changes: ended }),
      },
    });
    return { address };
  });
}
