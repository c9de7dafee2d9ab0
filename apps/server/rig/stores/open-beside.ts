import type { Database } from '../../src/db/database.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createStore } from '../../src/stores/create-store.ts';
import { storeForOperator } from '../../src/stores/store-for-operator.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { NETWORKS } from '../chains/networks.ts';
import type { TestStore } from './open-store.ts';
import { LIFTED_PLAN, TESTER } from './open-store.ts';

export type StoreBeside = { id: bigint; merchantId: string };

/** Opens one more store of a store's merchant, which receives on BSC at an address of the merchant. */
export async function openBeside(
  database: Database,
  { merchantAccountId, ring }: TestStore,
  address: string,
): Promise<StoreBeside> {
  const context = { networks: NETWORKS, database, clock: systemClock, ring, jobs: undefined };
  const { id, merchantId } = await createStore(context, TESTER, {
    merchantAccountId,
    name: 'Beside',
    planCode: LIFTED_PLAN.code,
    discountPercent: '0',
    lifetimeMinutes: 30,
    httpsCallbacksOnly: false,
  });
  const store = await storeForOperator(context, TESTER, merchantId);
  await addWallet(context, TESTER, { store, network: 'BSC', address, now: { reason: 'test' } });
  return { id, merchantId };
}
