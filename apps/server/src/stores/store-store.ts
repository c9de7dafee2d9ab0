import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

export type PlanInput = {
  code: string;
  feeRatePercent: string;
  minimumFeeMicroUsd: bigint;
  trialDays: number;
  createBurst: number;
  createSustained: number;
  lookupBurst: number;
  lookupSustained: number;
};

export async function insertPlan(tx: Tx, plan: PlanInput, at: Date): Promise<bigint> {
  const row = await tx
    .insertInto('plans')
    .values({
      code: plan.code,
      fee_rate_percent: plan.feeRatePercent,
      minimum_fee_micro_usd: plan.minimumFeeMicroUsd,
      trial_days: plan.trialDays,
      create_burst: plan.createBurst,
      create_sustained: plan.createSustained,
      lookup_burst: plan.lookupBurst,
      lookup_sustained: plan.lookupSustained,
      created_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function findPlan(queries: Queries, code: string): Promise<{ id: bigint; trialDays: number } | undefined> {
  const row = await queries
    .selectFrom('plans')
    .select(['id', 'trial_days'])
    .where('code', '=', code)
    .executeTakeFirst();
  return row && { id: row.id, trialDays: row.trial_days };
}

export async function insertMerchant(tx: Tx, merchant: { name: string; shard: string }, at: Date): Promise<bigint> {
  const row = await tx
    .insertInto('merchants')
    .values({ ...merchant, created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function findMerchant(queries: Queries, id: bigint): Promise<{ shard: string } | undefined> {
  return queries.selectFrom('merchants').select('shard').where('id', '=', id).executeTakeFirst();
}

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

export type FoundStore = {
  id: bigint;
  merchantAccountId: bigint;
  merchantId: string;
  shard: string;
  live: boolean;
  name: string;
};

export async function findStore(queries: Queries, merchantId: string): Promise<FoundStore | undefined> {
  const row = await queries
    .selectFrom('stores')
    .select(['id', 'merchant_account_id', 'merchant_id', 'shard', 'live', 'name'])
    .where('merchant_id', '=', merchantId)
    .executeTakeFirst();
  if (!row) return undefined;
  return { ...row, merchantAccountId: row.merchant_account_id, merchantId: row.merchant_id };
}

export async function setStoreActive(tx: Tx, storeId: bigint, active: boolean): Promise<void> {
  await tx.updateTable('stores').set({ active }).where('id', '=', storeId).executeTakeFirstOrThrow();
}

export async function setMerchantActive(tx: Tx, merchantAccountId: bigint, active: boolean): Promise<boolean> {
  const result = await tx
    .updateTable('merchants')
    .set({ active })
    .where('id', '=', merchantAccountId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export type StoreListing = { merchantId: string; name: string; merchant: string; active: boolean; live: boolean };

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
