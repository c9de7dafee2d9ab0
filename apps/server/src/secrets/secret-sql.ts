import { Refusal } from '../lib/refusal.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';

export type SealedValue = { purpose: string; ringKeyId: string; sealed: Buffer };
type SealedSecret = SealedValue & { id: bigint };

/** Tables with sealed values; all have the columns of `secrets` and are resealed and abandoned alike. */
export const SEALED_TABLES = ['secrets', 'earlier_credentials'] as const;
export type SealedTable = (typeof SEALED_TABLES)[number];

export async function insertSecret(tx: Tx, secret: SealedValue): Promise<bigint> {
  const row = await tx
    .insertInto('secrets')
    .values({ purpose: secret.purpose, ring_key_id: secret.ringKeyId, sealed: secret.sealed })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function readSecret(queries: Queries, id: bigint): Promise<SealedSecret> {
  const row = await queries.selectFrom('secrets').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  if (row.ring_key_id === null || row.sealed === null) throw new Refusal('SECRET_ABANDONED');
  return { id: row.id, purpose: row.purpose, ringKeyId: row.ring_key_id, sealed: row.sealed };
}

/** Whether a secret with this purpose ever existed, even if abandoned. */
export async function hasSecretFor(queries: Queries, purpose: string): Promise<boolean> {
  const row = await queries
    .selectFrom('secrets')
    .select('id')
    .where('purpose', '=', purpose)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function lockSecretsOfOtherKeys(
  tx: Tx,
  table: SealedTable,
  sealingId: string,
  limit: number,
): Promise<SealedSecret[]> {
  const { rows } = await sql<SealedSecret>`
    select id, purpose, ring_key_id as "ringKeyId", sealed from ${sql.table(table)}
    where ring_key_id <> ${sealingId} order by id limit ${limit} for update`.execute(tx);
  return rows;
}

export async function replaceSealed(
  tx: Tx,
  table: SealedTable,
  ringKeyId: string,
  secrets: readonly Pick<SealedSecret, 'id' | 'sealed'>[],
): Promise<void> {
  await sql`update ${sql.table(table)} t set ring_key_id = ${ringKeyId}, sealed = n.sealed
    from ${unnestRows(secrets, 'n', { id: ['bigint', ({ id }) => id], sealed: ['bytea', ({ sealed }) => sealed] })}
    where t.id = n.id`.execute(tx);
}

export async function countSecretsByRingKey(queries: Queries): Promise<{ ringKeyId: string; secrets: bigint }[]> {
  const all = sql.join(
    SEALED_TABLES.map((table) => sql`select ring_key_id from ${sql.table(table)}`),
    sql` union all `,
  );
  const { rows } = await sql<{ ringKeyId: string; secrets: bigint }>`
    select ring_key_id as "ringKeyId", count(*) as secrets from (${all}) s
    where ring_key_id is not null group by ring_key_id`.execute(queries);
  return rows;
}

/** Empties the secrets of a lost key; returns their purposes. */
export async function abandonSecrets(tx: Tx, table: SealedTable, ringKeyId: string, at: Date): Promise<string[]> {
  const { rows } = await sql<{ purpose: string }>`
    update ${sql.table(table)} set ring_key_id = null, sealed = null, abandoned_at = ${at}
    where ring_key_id = ${ringKeyId} returning purpose`.execute(tx);
  return rows.map((row) => row.purpose);
}
