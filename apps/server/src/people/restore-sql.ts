import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

type NewRestore = { personId: bigint; earlierId: bigint; address: string; agent: string; effectiveAt: Date };

export async function insertRestore(tx: Tx, restore: NewRestore, at: Date): Promise<bigint> {
  const { personId, earlierId, address, agent, effectiveAt } = restore;
  const { rows } = await sql<{ id: bigint }>`
    insert into credential_restores (person_id, earlier_id, asked_at, address, agent, effective_at)
    values (${personId}, ${earlierId}, ${at}, ${address}, ${agent}, ${effectiveAt}) returning id`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('A restore was not inserted.');
  return row.id;
}

type OpenRestore = { id: bigint; earlierId: bigint; address: string; agent: string; effectiveAt: Date };

const OPEN = sql`
  select id, earlier_id as "earlierId", address, agent, effective_at as "effectiveAt" from credential_restores`;

export async function findOpenRestore(queries: Queries | Tx, personId: bigint): Promise<OpenRestore | undefined> {
  const { rows } = await sql<OpenRestore>`
    ${OPEN} where person_id = ${personId} and stopped_at is null and applied_at is null`.execute(queries);
  return rows[0];
}

export async function lockOpenRestore(tx: Tx, personId: bigint): Promise<OpenRestore | undefined> {
  const { rows } = await sql<OpenRestore>`
    ${OPEN} where person_id = ${personId} and stopped_at is null and applied_at is null for update`.execute(tx);
  return rows[0];
}

export async function countRestores(tx: Tx, personId: bigint, since: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from credential_restores
    where person_id = ${personId} and asked_at > ${since}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Due restores. */
export async function listDueRestores(queries: Queries, now: Date, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select person_id as id from credential_restores
    where effective_at <= ${now} and stopped_at is null and applied_at is null
    order by effective_at limit ${limit}`.execute(queries);
  return rows.map(({ id }) => id);
}

export async function noteRestoreApplied(tx: Tx, id: bigint, at: Date): Promise<void> {
  await sql`update credential_restores set applied_at = ${at} where id = ${id}`.execute(tx);
}

export async function stopOpenRestore(tx: Tx, personId: bigint, at: Date): Promise<void> {
  await sql`
    update credential_restores set stopped_at = ${at}
    where person_id = ${personId} and stopped_at is null and applied_at is null`.execute(tx);
}

export async function stopRestoreById(tx: Tx, id: bigint, at: Date): Promise<boolean> {
  const { rows } = await sql`
    update credential_restores set stopped_at = ${at}
    where id = ${id} and stopped_at is null and applied_at is null returning 1`.execute(tx);
  return rows.length > 0;
}

export async function findMailedRestore(
  queries: Queries,
  id: bigint,
): Promise<{ personId: bigint; effectiveAt: Date } | undefined> {
  const { rows } = await sql<{ personId: bigint; effectiveAt: Date }>`
    select r.person_id as "personId", r.effective_at as "effectiveAt"
    from credential_restores r join people p on p.id = r.person_id and p.disabled_at is null
    where r.id = ${id} and r.stopped_at is null and r.applied_at is null`.execute(queries);
  return rows[0];
}

/** A person's merchants, and those where they were recently an owner, in locking order. */
export async function listMerchantsToLock(tx: Tx, personId: bigint, since: Date): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select merchant_account_id as id from memberships where person_id = ${personId}
    union
    select merchant_account_id from former_owners where person_id = ${personId} and ended_at >= ${since}
    order by id`.execute(tx);
  return rows.map(({ id }) => id);
}
