import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

export type SealedSecret = { id: bigint; purpose: string; ringKeyId: string; sealed: Buffer };

export async function insertSecret(tx: Tx, secret: Omit<SealedSecret, 'id'>): Promise<bigint> {
  const row = await tx
    .insertInto('secrets')
    .values({ purpose: secret.purpose, ring_key_id: secret.ringKeyId, sealed: secret.sealed })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function readSecret(queries: Queries, id: bigint): Promise<SealedSecret> {
  const row = await queries.selectFrom('secrets').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return { id: row.id, purpose: row.purpose, ringKeyId: row.ring_key_id, sealed: row.sealed };
}

/** Secrets that another key than `activeId` sealed, locked until the transaction ends. */
export async function lockSecretsOfOtherKeys(tx: Tx, activeId: string, limit: number): Promise<SealedSecret[]> {
  const rows = await tx
    .selectFrom('secrets')
    .selectAll()
    .where('ring_key_id', '<>', activeId)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute();
  return rows.map((row) => ({ id: row.id, purpose: row.purpose, ringKeyId: row.ring_key_id, sealed: row.sealed }));
}

export async function replaceSealed(tx: Tx, id: bigint, ringKeyId: string, sealed: Buffer): Promise<void> {
  await tx.updateTable('secrets').set({ ring_key_id: ringKeyId, sealed }).where('id', '=', id).execute();
}

export async function readRingKeys(queries: Queries): Promise<{ id: string; checkValue: Buffer }[]> {
  const rows = await queries.selectFrom('key_ring_keys').select(['id', 'check_value']).orderBy('created_at').execute();
  return rows.map((row) => ({ id: row.id, checkValue: row.check_value }));
}

export async function insertRingKey(queries: Queries, id: string, checkValue: Buffer): Promise<void> {
  await queries
    .insertInto('key_ring_keys')
    .values({ id, check_value: checkValue })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function countSecretsByRingKey(queries: Queries): Promise<{ ringKeyId: string; secrets: bigint }[]> {
  const rows = await queries
    .selectFrom('secrets')
    .select((column) => ['ring_key_id', column.fn.countAll<bigint>().as('secrets')])
    .groupBy('ring_key_id')
    .execute();
  return rows.map((row) => ({ ringKeyId: row.ring_key_id, secrets: row.secrets }));
}
