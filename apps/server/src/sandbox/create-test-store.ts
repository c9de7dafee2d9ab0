import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { SANDBOX_NETWORKS, testAddress } from '../networks/sandbox-networks.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { CreatedStore, StoreInput } from '../stores/create-store.ts';
import { describeStore, insertNewStore, prepareStore } from '../stores/create-store.ts';
import { claimAddress, insertWallet } from '../wallets/wallet-sql.ts';

/** Creates a test store with an address on every sandbox network. */
export async function createTestStore(
  { database, clock, ring }: Context & { ring: KeyRing },
  actor: Actor,
  input: StoreInput,
): Promise<CreatedStore> {
  const at = new Date(clock.nowMs());
  const store = await prepareStore(database.queries, { ...input, live: false }, at);
  return inTransaction(database, async (tx) => {
    const created = await insertNewStore(tx, ring, store, at);
    await addTestWallets(tx, { ...created, merchantAccountId: input.merchantAccountId }, at);
    await recordAudit(tx, clock, actor, {
      action: 'store.create',
      subject: `store:${created.id}`,
      details: { after: describeStore(store) },
    });
    return created;
  });
}

type TestStore = { id: bigint; merchantId: string; merchantAccountId: bigint };

async function addTestWallets(tx: Tx, { id, merchantId, merchantAccountId }: TestStore, at: Date): Promise<void> {
  for (const network of SANDBOX_NETWORKS) {
    const address = testAddress(network, merchantId);
    const wallet = { storeId: id, merchantAccountId, network: network.id, family: network.family, address, at };
    await claimAddress(tx, wallet);
    await insertWallet(tx, wallet);
  }
}
