import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

export async function insertWebhookSecret(tx: Tx, storeId: bigint, secretId: bigint, at: Date): Promise<void> {
  await tx.insertInto('webhook_secrets').values({ store_id: storeId, secret_id: secretId, created_at: at }).execute();
}

/** Ends every live webhook secret of a store at `at`, unless the secret ends earlier. */
export async function expireWebhookSecrets(tx: Tx, storeId: bigint, at: Date): Promise<void> {
  await tx
    .updateTable('webhook_secrets')
    .set({ expires_at: at })
    .where('store_id', '=', storeId)
    .where('expires_at', '>', at)
    .execute();
}

/** Ids of the secrets that sign a store's webhooks at `at`, the newest first; abandoned secrets are left out. */
export async function readWebhookSecretIds(queries: Queries, storeId: bigint, at: Date): Promise<bigint[]> {
  const rows = await queries
    .selectFrom('webhook_secrets as w')
    .innerJoin('secrets as s', 's.id', 'w.secret_id')
    .select('w.secret_id')
    .where('w.store_id', '=', storeId)
    .where('w.expires_at', '>', at)
    .where('s.abandoned_at', 'is', null)
    .orderBy('w.id', 'desc')
    .execute();
  return rows.map((row) => row.secret_id);
}

/** Stores whose webhooks cannot be signed, because every live secret of the store was abandoned. */
export async function readUnsignedStores(
  queries: Queries,
  at: Date,
  limit: number,
): Promise<{ merchantId: string; name: string }[]> {
  return queries
    .selectFrom('stores')
    .select(['merchant_id as merchantId', 'name'])
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('webhook_secrets as w')
            .innerJoin('secrets as s', 's.id', 'w.secret_id')
            .select('w.id')
            .whereRef('w.store_id', '=', 'stores.id')
            .where('w.expires_at', '>', at)
            .where('s.abandoned_at', 'is', null),
        ),
      ),
    )
    .orderBy('id')
    .limit(limit)
    .execute();
}
