import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';
import type { FactorReset } from './factor-reset.ts';

type NewReset = { personId: bigint; requestedBy: bigint | null; reason: string; effectiveAt: Date };

/** Inserts a reset; undefined when one is open. */
export async function insertReset(tx: Tx, reset: NewReset, at: Date): Promise<bigint | undefined> {
  const { personId, requestedBy, reason, effectiveAt } = reset;
  const { rows } = await sql<{ id: bigint }>`
    insert into factor_resets (person_id, requested_by, reason, requested_at, effective_at)
    values (${personId}, ${requestedBy}, ${reason}, ${at}, ${effectiveAt})
    on conflict (person_id) where stopped_at is null and applied_at is null do nothing returning id`.execute(tx);
  return rows[0]?.id;
}

/** Locks the open reset of a person, to stop or apply it. */
export async function lockOpenReset(tx: Tx, personId: bigint): Promise<(FactorReset & { id: bigint }) | undefined> {
  const { rows } = await sql<FactorReset & { id: bigint }>`
    select id, effective_at as "effectiveAt", stopped_at as "stoppedAt", applied_at as "appliedAt" from factor_resets
    where person_id = ${personId} and stopped_at is null and applied_at is null for update`.execute(tx);
  return rows[0];
}

/** Stops the open reset of a person; false when there is none. */
export async function stopReset(tx: Tx, personId: bigint, at: Date): Promise<boolean> {
  const { rows } = await sql`
    update factor_resets set stopped_at = ${at}
    where person_id = ${personId} and stopped_at is null and applied_at is null returning 1`.execute(tx);
  return rows.length > 0;
}

/**
 * Stops a reset when a two-factor method is used. An operator's reset continues if a method was changed in the last
 * seven days: it may be the thief's.
 */
export async function stopResetByFactor(tx: Tx, personId: bigint, at: Date): Promise<void> {
  await sql`
    update factor_resets set stopped_at = ${at}
    where person_id = ${personId} and stopped_at is null and applied_at is null
      and (requested_by is not null or not exists (
        select from earlier_credentials e
        where e.person_id = ${personId} and e.changed = 'factors' and e.ended_at is null and e.expires_at > ${at}))`.execute(
    tx,
  );
}

export async function stopResetById(tx: Tx, id: bigint, at: Date): Promise<bigint | undefined> {
  const { rows } = await sql<{ personId: bigint }>`
    update factor_resets set stopped_at = ${at}
    where id = ${id} and stopped_at is null and applied_at is null returning person_id as "personId"`.execute(tx);
  return rows[0]?.personId;
}

/** Ends a reset and removes all two-factor methods. The password does not change. */
export async function removeFactors(tx: Tx, resetId: bigint, personId: bigint, at: Date): Promise<void> {
  await sql`update factor_resets set applied_at = ${at} where id = ${resetId}`.execute(tx);
  await sql`delete from passkeys where person_id = ${personId}`.execute(tx);
  await sql`delete from totp where person_id = ${personId}`.execute(tx);
  await sql`delete from recovery_codes where person_id = ${personId}`.execute(tx);
}

/** The other owners of all merchants of a person, if they may sign in. */
export async function listOwnersAround(tx: Tx, personId: bigint, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select o.id from owners_around(${personId}) as o (id) order by o.id limit ${limit}`.execute(tx);
  return rows.map(({ id }) => id);
}
