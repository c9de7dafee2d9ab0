import { addWallet } from '../../src/wallets/add-wallet.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { storeForOperator } from '../../src/stores/store-for-operator.ts';
import { NETWORKS } from '../chains/networks.ts';
import { nextAddress, TESTER } from '../stores/open-store.ts';
import type { AppSite } from './app-site.ts';

export type AppStore = { id: bigint; merchantId: string };

/** A live store of the site's merchant that receives on BSC: its owner has no second factor, and so cannot say where. */
export async function openAppStore(site: AppSite, name: string): Promise<AppStore> {
  const { owner, account, database, path } = site;
  const made = await owner.browser.send('POST', `/accounts/${account}/stores`, { name, mode: 'live' });
  const merchantId = String(made.body.data?.['merchant_id']);
  const context = { networks: NETWORKS, database, clock: systemClock, ring: await openKeyRing(path), jobs: undefined };
  const store = await storeForOperator(context, TESTER, merchantId);
  await addWallet(context, TESTER, { store, network: 'BSC', address: nextAddress() });
  return { id: store.id, merchantId };
}
