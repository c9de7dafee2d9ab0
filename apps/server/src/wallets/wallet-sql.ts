import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';
import type { Queries } from '../db/database.ts';

type WalletRow = {
  storeId: bigint;
  merchantAccountId: bigint;
  network: string;
  family: string;
  address: string;
  at: Date;
};

export async function claimAddress(tx: Tx, wallet: WalletRow): Promise<bigint> {
  await tx
    .insertInto('receiving_addresses')
    .values({
      family: wallet.family,
      address: wallet.address,
      merchant_account_id: wallet.merchantAccountId,
      claimed_at: wallet.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await tx
    .selectFrom('receiving_addresses')
    .select('merchant_account_id')
    .where('family', '=', wallet.family)
    .where('address', '=', wallet.address)
    .executeTakeFirstOrThrow();
  return row.merchant_account_id;
}

export async function insertWallet(tx: Tx, wallet: WalletRow): Promise<bigint | undefined> {
  const row = await tx
    .insertInto('wallets')
    .values({
      store_id: wallet.storeId,
      merchant_account_id: wallet.merchantAccountId,
      network: wallet.network,
      family: wallet.family,
      address: wallet.address,
      added_at: wallet.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

export async function markWalletRemoved(
  tx: Tx,
  { storeId, network, address, at }: Pick<WalletRow, 'storeId' | 'network' | 'address' | 'at'>,
): Promise<bigint | undefined> {
  const row = await tx
    .updateTable('wallets')
    .set({ removed_at: at })
    .where('store_id', '=', storeId)
    .where('network', '=', network)
    .where('address', '=', address)
    .where('removed_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** Marks the wallets of all stores at an exchange account as removed; returns their number. */
export async function markWalletsRemoved(tx: Tx, network: string, address: string, at: Date): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('wallets')
    .set({ removed_at: at })
    .where('network', '=', network)
    .where('address', '=', address)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

export type ShownHealth = {
  keyHint: string;
  checkedAt: Date;
  keyExpiresAt: Date | null;
  fault: string | null;
  stoppedAt: Date | null;
};

type ShownWallet = { network: string; address: string; addedAt: Date; health: ShownHealth | null };

/** A store's payment methods, oldest first, with the health of exchange accounts. */
export async function listMethods(queries: Queries, storeId: bigint, limit: number): Promise<ShownWallet[]> {
  const { rows } = await sql<Omit<ShownWallet, 'health'> & { [Name in keyof ShownHealth]: ShownHealth[Name] | null }>`
    select w.network, w.address, w.added_at as "addedAt", x.key_hint as "keyHint", x.checked_at as "checkedAt",
      x.key_expires_at as "keyExpiresAt", x.fault, x.stopped_at as "stoppedAt"
    from wallets w left join exchange_accounts x on x.network = w.network and x.account = w.address
    where w.store_id = ${storeId} and w.removed_at is null order by w.id limit ${limit}`.execute(queries);
  return rows.map(({ network, address, addedAt, keyHint, checkedAt, keyExpiresAt, fault, stoppedAt }) => ({
    network,
    address,
    addedAt,
    health: keyHint === null || checkedAt === null ? null : { keyHint, checkedAt, keyExpiresAt, fault, stoppedAt },
  }));
}

export async function listWallets(
  queries: Queries,
  storeId: bigint,
): Promise<{ network: string; address: string; addedAt: Date }[]> {
  const rows = await queries
    .selectFrom('wallets')
    .select(['network', 'address', 'added_at'])
    .where('store_id', '=', storeId)
    .where('removed_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ network: row.network, address: row.address, addedAt: row.added_at }));
}

export type MethodOfStore = {
  storeId: bigint;
  network: string;
  address: string;
  addedAt: Date;
  /** Why an exchange account is not offered, if so. */
  fault: string | null;
  stopped: boolean;
};

/** Payment methods of stores, oldest first, at most `limit` per store. */
export async function listMethodsOfStores(
  queries: Queries,
  storeIds: readonly bigint[],
  limit: number,
): Promise<MethodOfStore[]> {
  const { rows } = await sql<MethodOfStore>`
    select w.store_id as "storeId", w.network, w.address, w.added_at as "addedAt", x.fault, x.stopped_at is not null as stopped
    from unnest(${storeIds}::bigint[]) as s (id)
      cross join lateral (
        select m.id, m.store_id, m.network, m.address, m.added_at from wallets m
        where m.store_id = s.id and m.removed_at is null order by m.id limit ${limit}) w
      left join exchange_accounts x on x.network = w.network and x.account = w.address
    order by w.id`.execute(queries);
  return rows;
}
