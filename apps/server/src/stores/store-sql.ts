import { sql } from 'kysely';
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

export async function countStoresOfMerchant(queries: Queries | Tx, merchantAccountId: bigint): Promise<number> {
  const { count } = await queries
    .selectFrom('stores')
    .select((select) => select.fn.count<bigint>('id').as('count'))
    .where('merchant_account_id', '=', merchantAccountId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export type StoreSettings = {
  name: string;
  lifetimeMinutes: number;
  graceMinutes: number;
  httpsCallbacksOnly: boolean;
};

type HeldStore = StoreSettings & { active: boolean; switchedOffBy: string | null };

export async function holdStore(tx: Tx, storeId: bigint): Promise<HeldStore> {
  const { rows } = await sql<HeldStore>`
    select name, active, switched_off_by as "switchedOffBy", lifetime_minutes as "lifetimeMinutes",
      grace_minutes as "graceMinutes", https_callbacks_only as "httpsCallbacksOnly"
    from stores where id = ${storeId} for no key update`.execute(tx);
  const [store] = rows;
  if (!store) throw new Error(`Store ${storeId} is gone.`);
  return store;
}

export async function setStoreActive(tx: Tx, storeId: bigint, active: boolean, by: string): Promise<void> {
  await sql`
    update stores set active = ${active}, switched_off_by = ${active ? null : by} where id = ${storeId}`.execute(tx);
}

export async function saveStoreSettings(tx: Tx, storeId: bigint, settings: StoreSettings): Promise<void> {
  const { name, lifetimeMinutes, graceMinutes, httpsCallbacksOnly } = settings;
  await sql`
    update stores set name = ${name}, lifetime_minutes = ${lifetimeMinutes}, grace_minutes = ${graceMinutes},
      https_callbacks_only = ${httpsCallbacksOnly}
    where id = ${storeId}`.execute(tx);
}

type ShownSettings = StoreSettings & { active: boolean; createdAt: Date };

export async function readStoreSettings(queries: Queries, storeId: bigint): Promise<ShownSettings | undefined> {
  const { rows } = await sql<ShownSettings>`
    select name, active, lifetime_minutes as "lifetimeMinutes", grace_minutes as "graceMinutes",
      https_callbacks_only as "httpsCallbacksOnly", created_at as "createdAt"
    from stores where id = ${storeId}`.execute(queries);
  return rows[0];
}

export async function findStoreName(queries: Queries, merchantId: string): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select name from stores where merchant_id = ${merchantId}`.execute(
    queries,
  );
  return rows[0]?.name;
}

export async function savePurpose(tx: Tx, storeId: bigint, purpose: string | null): Promise<string | null> {
  const before = await tx
    .selectFrom('stores')
    .select('purpose')
    .where('id', '=', storeId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  await tx.updateTable('stores').set({ purpose }).where('id', '=', storeId).execute();
  return before.purpose;
}

export async function saveLowBalance(tx: Tx, storeId: bigint, microUsd: bigint | null): Promise<void> {
  await tx.updateTable('stores').set({ low_balance_micro_usd: microUsd }).where('id', '=', storeId).execute();
}

type TopupStore = FoundStore & { lifetimeMinutes: number };

/** A store for top-ups, if it and its merchant are active. */
export async function findTopupStore(queries: Queries, id: bigint): Promise<TopupStore | undefined> {
  const row = await queries
    .selectFrom('stores as s')
    .innerJoin('merchants as m', 'm.id', 's.merchant_account_id')
    .select(['s.id', 's.merchant_account_id', 's.merchant_id', 's.shard', 's.live', 's.lifetime_minutes'])
    .where('s.id', '=', id)
    .where('s.active', '=', true)
    .where('m.active', '=', true)
    .executeTakeFirst();
  if (!row) return undefined;
  const { shard, live, lifetime_minutes: lifetimeMinutes } = row;
  return {
    id: row.id,
    merchantAccountId: row.merchant_account_id,
    merchantId: row.merchant_id,
    shard,
    live,
    lifetimeMinutes,
  };
}
