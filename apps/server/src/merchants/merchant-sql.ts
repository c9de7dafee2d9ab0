import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

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

export async function setMerchantActive(tx: Tx, merchantAccountId: bigint, active: boolean): Promise<boolean> {
  const result = await tx
    .updateTable('merchants')
    .set({ active })
    .where('id', '=', merchantAccountId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
