import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/** Two-factor methods: authenticator apps and recovery codes. */

type StoredTotp = { secretId: bigint | null; pendingSecretId: bigint | null; lastStep: bigint };

/** Whether the user in the table `p` has a confirmed authenticator app or a passkey. */
export const HAS_FACTOR = sql<boolean>`(exists (select from totp t where t.person_id = p.id and t.confirmed_at is not null)
  or exists (select from passkeys k where k.person_id = p.id))`;

const STORED = sql`select secret_id as "secretId", pending_secret_id as "pendingSecretId", last_step as "lastStep" from totp`;

export async function readTotp(queries: Queries | Tx, personId: bigint): Promise<StoredTotp | undefined> {
  const { rows } = await sql<StoredTotp>`${STORED} where person_id = ${personId}`.execute(queries);
  return rows[0];
}

/** Replaces an earlier unconfirmed app. It proves nothing yet. */
export async function savePendingTotp(tx: Tx, personId: bigint, secretId: bigint): Promise<void> {
  await sql`
    insert into totp (person_id, pending_secret_id) values (${personId}, ${secretId})
    on conflict (person_id) do update set pending_secret_id = excluded.pending_secret_id`.execute(tx);
}

/** Confirms the pending app; false when another request has replaced it. */
export async function confirmPendingTotp(
  tx: Tx,
  personId: bigint,
  { secretId, step }: { secretId: bigint; step: bigint },
  at: Date,
): Promise<boolean> {
  const { rows } = await sql`
    update totp set secret_id = pending_secret_id, pending_secret_id = null, confirmed_at = ${at}, last_step = ${step}
    where person_id = ${personId} and pending_secret_id = ${secretId} returning 1`.execute(tx);
  return rows.length > 0;
}

/** Uses a step of an app; false when this step or a later one was used. */
export async function takeTotpStep(
  queries: Queries | Tx,
  personId: bigint,
  { secretId, step }: { secretId: bigint; step: bigint },
): Promise<boolean> {
  const { rows } = await sql`
    update totp set last_step = ${step}
    where person_id = ${personId} and secret_id = ${secretId} and last_step < ${step} returning 1`.execute(queries);
  return rows.length > 0;
}

export async function deleteTotp(tx: Tx, personId: bigint): Promise<boolean> {
  const { rows } = await sql`delete from totp where person_id = ${personId} returning 1`.execute(tx);
  return rows.length > 0;
}

export async function replaceRecoveryCodes(tx: Tx, personId: bigint, hashes: readonly Buffer[]): Promise<void> {
  await sql`delete from recovery_codes where person_id = ${personId}`.execute(tx);
  await sql`
    insert into recovery_codes (person_id, hash) select ${personId}::bigint, unnest(${hashes}::bytea[])`.execute(tx);
}

export async function saveCodesConfirmed(tx: Tx, personId: bigint, confirmed: boolean): Promise<void> {
  await sql`update people set codes_confirmed = ${confirmed} where id = ${personId}`.execute(tx);
}

export async function areCodesConfirmed(queries: Queries | Tx, personId: bigint): Promise<boolean> {
  const { rows } = await sql<{ confirmed: boolean }>`
    select codes_confirmed as confirmed from people where id = ${personId}`.execute(queries);
  return rows[0]?.confirmed ?? false;
}

export async function hasRecoveryCode(tx: Tx, personId: bigint, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    select from recovery_codes where person_id = ${personId} and hash = ${hash} and used_at is null`.execute(tx);
  return rows.length > 0;
}

export async function takeRecoveryCode(
  queries: Queries | Tx,
  personId: bigint,
  hash: Buffer,
  at: Date,
): Promise<boolean> {
  const { rows } = await sql`
    update recovery_codes set used_at = ${at} where person_id = ${personId} and hash = ${hash} and used_at is null and suspended_at is null
    returning 1`.execute(queries);
  return rows.length > 0;
}

/** Ends the suspension of a person's recovery codes, who has signed in with another two-factor method. */
export async function resumeRecoveryCodes(queries: Queries | Tx, personId: bigint): Promise<void> {
  await sql`
    update recovery_codes set suspended_at = null where person_id = ${personId} and suspended_at is not null`.execute(
    queries,
  );
}

export async function countRecoveryCodes(queries: Queries | Tx, personId: bigint): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select count(*)::integer as left from recovery_codes where person_id = ${personId} and used_at is null`.execute(
    queries,
  );
  return rows[0]?.left ?? 0;
}
