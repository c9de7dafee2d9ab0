import { Refusal } from '../lib/refusal.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { SEALED_TABLES } from './secret-sql.ts';

const RING_LOCK = 0x0c_0f_05;

/** Locks the key ring until the transaction ends. Locking again proves that the lock was not lost. */
export async function lockRing(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${RING_LOCK})`.execute(tx);
}

export type KnownKey = {
  id: string;
  checkValue: Buffer;
  seals: boolean;
  /** Whether the key seals a stored secret, or new ones. */
  inUse: boolean;
};

/** The database's keys, oldest first. */
export async function readKnownKeys(queries: Queries): Promise<KnownKey[]> {
  const sealed = SEALED_TABLES.map(
    (table) => sql`exists (select from ${sql.table(table)} s where s.ring_key_id = k.id)`,
  );
  const { rows } = await sql<KnownKey>`
    select k.id, k.check_value as "checkValue", s.one is not null as seals,
      (s.one is not null or ${sql.join(sealed, sql` or `)}) as "inUse"
    from key_ring_keys k left join sealing_key s on s.ring_key_id = k.id order by k.created_at, k.id`.execute(queries);
  return rows;
}

export async function insertRingKey(queries: Queries, id: string, checkValue: Buffer): Promise<void> {
  await queries
    .insertInto('key_ring_keys')
    // By the clock instead of the transaction's start, so that the last added key is the newest.
    .values({ id, check_value: checkValue, created_at: sql<Date>`clock_timestamp()` })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function deleteRingKey(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('key_ring_keys').where('id', '=', id).execute();
}

/** The sealing key's id, locked so that nothing is sealed with an old key during a reseal. */
export async function holdSealingKey(tx: Tx): Promise<string> {
  const row = await tx.selectFrom('sealing_key').select('ring_key_id').forShare().executeTakeFirst();
  if (!row) throw new Refusal('RING_UNKNOWN');
  return row.ring_key_id;
}

export async function insertSealingKey(queries: Queries, id: string): Promise<void> {
  await queries
    .insertInto('sealing_key')
    .values({ ring_key_id: id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Waits for transactions that are sealing; returns the previous key. */
export async function switchSealingKey(tx: Tx, id: string): Promise<string | undefined> {
  const before = await tx.selectFrom('sealing_key').select('ring_key_id').forUpdate().executeTakeFirst();
  await tx
    .insertInto('sealing_key')
    .values({ ring_key_id: id })
    .onConflict((conflict) => conflict.column('one').doUpdateSet({ ring_key_id: id }))
    .execute();
  return before?.ring_key_id;
}

export async function deleteSealingKey(tx: Tx): Promise<void> {
  await tx.deleteFrom('sealing_key').execute();
}
