import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

type ApiKeyRow = { storeId: bigint; hash: Buffer; secretId: bigint; hint: string; createdAt: Date };

export async function insertApiKey(tx: Tx, key: ApiKeyRow): Promise<void> {
  await tx
    .insertInto('api_keys')
    .values({
      store_id: key.storeId,
      hash: key.hash,
      secret_id: key.secretId,
      hint: key.hint,
      created_at: key.createdAt,
    })
    .execute();
}

/** Ends every live API key of a store at `at`; returns the hints of these keys. */
export async function expireApiKeys(tx: Tx, storeId: bigint, at: Date): Promise<string[]> {
  const rows = await tx
    .updateTable('api_keys')
    .set({ expires_at: at })
    .where('store_id', '=', storeId)
    .where('expires_at', '>', at)
    .returning('hint')
    .execute();
  return rows.map((row) => row.hint);
}

type SealedApiKey = { hash: Buffer; secretId: bigint; hint: string };

export async function readNewestApiKey(queries: Queries, storeId: bigint): Promise<SealedApiKey | undefined> {
  const row = await queries
    .selectFrom('api_keys')
    .select(['hash', 'secret_id', 'hint'])
    .where('store_id', '=', storeId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && { hash: row.hash, secretId: row.secret_id, hint: row.hint };
}
