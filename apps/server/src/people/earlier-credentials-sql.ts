import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { SealedValue } from '../secrets/secret-sql.ts';
import type { CredentialKind, Credentials } from './earlier-credentials.ts';

export async function readCredentials(queries: Queries | Tx, personId: bigint): Promise<Credentials> {
  const { rows } = await sql<{ credentials: Credentials }>`
    select json_build_object(
      'mail', json_build_object('normal', p.mail_normal, 'shown', p.mail_shown),
      'password', case when p.password_hash is not null
        then json_build_object('hash', p.password_hash, 'setAt', p.password_set_at) end,
      'totp', (select json_build_object('secretId', t.secret_id::text, 'confirmedAt', t.confirmed_at, 'lastStep', t.last_step::text)
        from totp t where t.person_id = p.id and t.secret_id is not null),
      'passkeys', (select coalesce(json_agg(json_build_object(
          'credentialId', encode(k.credential_id, 'hex'), 'publicKey', encode(k.public_key, 'hex'), 'signCount', k.sign_count,
          'transports', k.transports, 'backedUp', k.backed_up, 'name', k.name, 'createdAt', k.created_at,
          'lastUsedAt', k.last_used_at) order by k.id), '[]')
        from passkeys k where k.person_id = p.id),
      'recovery', (select coalesce(json_agg(json_build_object('hash', encode(r.hash, 'hex'), 'usedAt', r.used_at) order by r.hash), '[]')
        from recovery_codes r where r.person_id = p.id)) as credentials
    from people p where p.id = ${personId}`.execute(queries);
  const [row] = rows;
  if (!row) throw new Error(`Person ${personId} is gone.`);
  return row.credentials;
}

/** Replaces all credentials; fails if another user has the email address. Requires the person's lock. */
export async function writeCredentials(tx: Tx, personId: bigint, credentials: Credentials): Promise<void> {
  const { mail, password, totp, passkeys, recovery } = credentials;
  await sql`
    update people set mail_normal = ${mail.normal}, mail_shown = ${mail.shown}, password_hash = ${password?.hash ?? null},
      password_set_at = ${password?.setAt ?? null}::timestamptz
    where id = ${personId}`.execute(tx);
  await sql`delete from totp where person_id = ${personId}`.execute(tx);
  await sql`delete from passkeys where person_id = ${personId}`.execute(tx);
  await sql`delete from recovery_codes where person_id = ${personId}`.execute(tx);
  if (totp)
    await sql`
      insert into totp (person_id, secret_id, confirmed_at, last_step)
      values (${personId}, ${totp.secretId}::bigint, ${totp.confirmedAt}::timestamptz, ${totp.lastStep}::bigint)`.execute(
      tx,
    );
  await sql`
    insert into passkeys (person_id, credential_id, public_key, sign_count, transports, backed_up, name, created_at, last_used_at)
    select ${personId}::bigint, decode(k."credentialId", 'hex'), decode(k."publicKey", 'hex'), k."signCount", k.transports,
      k."backedUp", k.name, k."createdAt", k."lastUsedAt"
    from json_to_recordset(${JSON.stringify(passkeys)}::json) as k ("credentialId" text, "publicKey" text, "signCount" bigint,
      transports text[], "backedUp" boolean, name text, "createdAt" timestamptz, "lastUsedAt" timestamptz)
    on conflict (credential_id) do nothing`.execute(tx);
  await sql`
    insert into recovery_codes (person_id, hash, used_at)
    select ${personId}::bigint, decode(r.hash, 'hex'), r."usedAt"
    from json_to_recordset(${JSON.stringify(recovery)}::json) as r (hash text, "usedAt" timestamptz)`.execute(tx);
}

export async function countEarlier(tx: Tx, personId: bigint, now: Date): Promise<{ kept: number; until: Date | null }> {
  const { rows } = await sql<{ kept: number; until: Date | null }>`
    select count(*)::integer as kept, min(expires_at) as until from earlier_credentials
    where person_id = ${personId} and ended_at is null and expires_at > ${now}`.execute(tx);
  return rows[0] ?? { kept: 0, until: null };
}

type NewEarlier = { personId: bigint; changed: CredentialKind; value: SealedValue; keptAt: Date; expiresAt: Date };

export async function insertEarlier(tx: Tx, earlier: NewEarlier): Promise<bigint> {
  const { personId, changed, value, keptAt, expiresAt } = earlier;
  const { rows } = await sql<{ id: bigint }>`
    insert into earlier_credentials (person_id, changed, kept_at, expires_at, purpose, ring_key_id, sealed)
    values (${personId}, ${changed}, ${keptAt}, ${expiresAt}, ${value.purpose}, ${value.ringKeyId}, ${value.sealed})
    returning id`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('Earlier credentials were not inserted.');
  return row.id;
}

type SealedEarlier = { id: bigint; keptAt: Date; ringKeyId: string; sealed: Buffer };

/** Kept credentials, oldest first; those that a pending restore needs outlive their time. */
export async function listEarlier(queries: Queries | Tx, personId: bigint, now: Date): Promise<SealedEarlier[]> {
  const { rows } = await sql<SealedEarlier>`
    select e.id, e.kept_at as "keptAt", e.ring_key_id as "ringKeyId", e.sealed from earlier_credentials e
    where e.person_id = ${personId} and e.ended_at is null and e.sealed is not null
      and (e.expires_at > ${now} or exists (
        select from credential_restores r where r.earlier_id = e.id and r.stopped_at is null and r.applied_at is null))
    order by e.id`.execute(queries);
  return rows;
}

/** The end of the time for which credentials are kept, if the person may sign in. */
export async function findEarlier(
  queries: Queries,
  id: bigint,
  now: Date,
): Promise<{ personId: bigint; expiresAt: Date } | undefined> {
  const { rows } = await sql<{ personId: bigint; expiresAt: Date }>`
    select e.person_id as "personId", e.expires_at as "expiresAt"
    from earlier_credentials e join people p on p.id = e.person_id and p.disabled_at is null
    where e.id = ${id} and e.ended_at is null and e.expires_at > ${now}`.execute(queries);
  return rows[0];
}

/** Erases the restored credentials and all later ones, with their undo links. */
export async function endEarlierFrom(tx: Tx, personId: bigint, id: bigint, at: Date): Promise<void> {
  await sql`
    update earlier_credentials set ended_at = ${at}, ring_key_id = null, sealed = null
    where person_id = ${personId} and id >= ${id} and ended_at is null`.execute(tx);
}

export async function deleteOldEarlier(queries: Queries, now: Date, limit: number): Promise<void> {
  await sql`
    delete from earlier_credentials where id = any(array(
      select e.id from earlier_credentials e
      where e.expires_at < ${now} and not exists (
        select from credential_restores r where r.earlier_id = e.id and r.stopped_at is null and r.applied_at is null)
      order by e.expires_at limit ${limit}))`.execute(queries);
}
