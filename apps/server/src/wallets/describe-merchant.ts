import type { Context } from '../db/context.ts';
import type { Operator } from '../lib/actor.ts';
import type { MerchantAccount } from '../merchants/merchant-account-sql.ts';
import { requireMerchant } from '../merchants/require-merchant.ts';
import type { ListedMember } from '../people/membership-sql.ts';
import { listMembers } from '../people/membership-sql.ts';
import type { ListedStore } from '../stores/store-list-sql.ts';
import { listStores } from '../stores/store-list-sql.ts';
import { countStoresOfMerchant } from '../stores/store-sql.ts';
import type { MethodOfStore } from './wallet-sql.ts';
import { listMethodsOfStores } from './wallet-sql.ts';

export const DESCRIBED = { stores: 50, owners: 50, methods: 20 } as const;

export type DescribedMerchant = {
  merchant: MerchantAccount;
  owners: ListedMember[];
  storeCount: number;
  stores: ListedStore[];
  methods: ReadonlyMap<bigint, readonly MethodOfStore[]>;
};

/** For operators: owners, newest stores, and their payment methods. */
export async function describeMerchant(
  { database: { queries } }: Context,
  _actor: Operator,
  { merchant: named }: { merchant: string },
): Promise<DescribedMerchant> {
  const merchant = await requireMerchant(queries, named);
  const owners = await listMembers(queries, merchant.id, DESCRIBED.owners, 'owner');
  const stores = await listStores(queries, merchant.id, { before: undefined, limit: DESCRIBED.stores });
  const ids = stores.map(({ id }) => id);
  const methods = await listMethodsOfStores(queries, ids, DESCRIBED.methods);
  const storeCount = await countStoresOfMerchant(queries, merchant.id);
  return { merchant, owners, storeCount, stores, methods: Map.groupBy(methods, ({ storeId }) => storeId) };
}
