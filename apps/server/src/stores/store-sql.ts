import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

export type StoreRow = {
  merchantAccountId: bigint;
  merchantId: string;
  shard: string;
  name: string;
  live: boolean;
  planId: bigint;
  discountPercent: string;
  trialEndsAt: Date | null;
  lifetimeMinutes: number;
  httpsCallbacksOnly: boolean;
};

export async function insertStore(tx: Tx, store: StoreRow, at: Date): Promise<bigint> {
  const row = await tx
    .insertInto('stores')
    .values({
      merchant_account_id: store.merchantAccountId,
      merchant_id: store.merchantId,
      shard: store.shard,
      name: store.name,
      live: store.live,
      plan_id: store.planId,
      discount_percent: store.discountPercent,
      trial_ends_at: store.trialEndsAt,
      lifetime_minutes: store.lifetimeMinutes,
      https_callbacks_only: store.httpsCallbacksOnly,
      created_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

type FoundStore = {
  id: bigint;
  merchantAccountId: bigint;
  merchantId: string;
  shard: string;
  live: boolean;
};

export async function findStore(queries: Queries, merchantId: string): Promise<FoundStore | undefined> {
  const row = await queries
    .selectFrom('stores')
    .select(['id', 'merchant_account_id', 'merchant_id', 'shard', 'live'])
    .where('merchant_id', '=', merchantId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { id, shard, live } = row;
  return { id, merchantAccountId: row.merchant_account_id, merchantId: row.merchant_id, shard, live };
}

export async function countStoresOfMerchant(tx: Tx, merchantAccountId: bigint): Promise<number> {
  const { count } = await tx
    .selectFrom('stores')
    .select((select) => select.fn.count<bigint>('id').as('count'))
    .where('merchant_account_id', '=', merchantAccountId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function setStoreActive(tx: Tx, storeId: bigint, active: boolean): Promise<void> {
  await tx.updateTable('stores').set({ active }).where('id', '=', storeId).executeTakeFirstOrThrow();
}

type StoreListing = { merchantId: string; name: string; merchant: string; active: boolean; live: boolean };

export async function listStores(queries: Queries, limit: number): Promise<StoreListing[]> {
  const rows = await queries
    .selectFrom('stores')
    .innerJoin('merchants', 'merchants.id', 'stores.merchant_account_id')
    .select(['stores.merchant_id', 'stores.name', 'merchants.name as merchant', 'stores.active', 'stores.live'])
    .orderBy('stores.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    merchantId: row.merchant_id,
    name: row.name,
    merchant: row.merchant,
    active: row.active,
    live: row.live,
  }));
}
