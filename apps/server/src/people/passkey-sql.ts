import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { OperatorRole } from './person.ts';

export type ChallengePurpose = 'sign-in' | 'factor' | 'step-up' | 'register' | 'undo';

type NewChallenge = { hash: Buffer; purpose: ChallengePurpose; sessionHash: Buffer | null; expiresAt: Date };

export async function insertChallenge(queries: Queries, challenge: NewChallenge): Promise<void> {
  const { hash, purpose, sessionHash, expiresAt } = challenge;
  await sql`
    insert into challenges (hash, purpose, session_hash, expires_at)
    values (${hash}, ${purpose}, ${sessionHash}, ${expiresAt})`.execute(queries);
}

/** Uses a challenge; false if it is unknown, too old, or for another purpose or person. */
export async function takeChallenge(
  queries: Queries,
  { hash, purpose, sessionHash }: Omit<NewChallenge, 'expiresAt'>,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    delete from challenges where hash = ${hash} and purpose = ${purpose} and session_hash is not distinct from ${sessionHash}
      and expires_at > ${now} returning 1`.execute(queries);
  return rows.length > 0;
}

export async function deleteOldChallenges(queries: Queries, now: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from challenges where hash = any(array(
      select hash from challenges where expires_at < ${now} order by expires_at limit ${limit}))
    returning 1`.execute(queries);
  return rows.length;
}

type NewPasskey = {
  personId: bigint;
  credentialId: Buffer;
  publicKey: Buffer;
  signCount: number;
  transports: readonly string[];
  backedUp: boolean;
  name: string;
};

/** Inserts a passkey; false when it is registered already. */
export async function insertPasskey(tx: Tx, passkey: NewPasskey, at: Date): Promise<boolean> {
  const { personId, credentialId, publicKey, signCount, transports, backedUp, name } = passkey;
  const { rows } = await sql`
    insert into passkeys (person_id, credential_id, public_key, sign_count, transports, backed_up, name, created_at)
    values (${personId}, ${credentialId}, ${publicKey}, ${signCount}, ${transports}, ${backedUp}, ${name}, ${at})
    on conflict (credential_id) do nothing returning 1`.execute(tx);
  return rows.length > 0;
}

export type KnownPasskey = {
  id: bigint;
  personId: bigint;
  operatorRole: OperatorRole | null;
  admitted: boolean;
  publicKey: Buffer;
  signCount: number;
};

export async function findPasskey(queries: Queries | Tx, credentialId: Buffer): Promise<KnownPasskey | undefined> {
  const { rows } = await sql<KnownPasskey>`
    select k.id, k.person_id as "personId", p.operator_role as "operatorRole", k.public_key as "publicKey",
      k.sign_count::float8 as "signCount", p.verified_at is not null and p.disabled_at is null as admitted
    from passkeys k join people p on p.id = k.person_id where k.credential_id = ${credentialId}`.execute(queries);
  return rows[0];
}

type ListedPasskey = {
  id: bigint;
  credentialId: Buffer;
  name: string;
  transports: string[];
  backedUp: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
};

export async function listPasskeys(queries: Queries, personId: bigint, limit: number): Promise<ListedPasskey[]> {
  const { rows } = await sql<ListedPasskey>`
    select id, credential_id as "credentialId", name, transports, backed_up as "backedUp", created_at as "createdAt",
      last_used_at as "lastUsedAt"
    from passkeys where person_id = ${personId} order by id limit ${limit}`.execute(queries);
  return rows;
}

/** Records a use; false for a count that is not higher. Devices without a counter always send zero. */
export async function notePasskeyUse(queries: Queries, id: bigint, signCount: number, at: Date): Promise<boolean> {
  const { rows } = await sql`
    update passkeys set sign_count = ${signCount}, last_used_at = ${at}
    where id = ${id} and (sign_count < ${signCount} or (sign_count = 0 and ${signCount} = 0)) returning 1`.execute(
    queries,
  );
  return rows.length > 0;
}

/** Removes a passkey; false when the person has no such passkey. */
export async function deletePasskey(tx: Tx, personId: bigint, id: bigint): Promise<boolean> {
  const { rows } = await sql`delete from passkeys where person_id = ${personId} and id = ${id} returning 1`.execute(tx);
  return rows.length > 0;
}
