import type { Role } from '@counterfoil/core/permission.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/** Data for emails about people; undefined when the subject of the email no longer exists. */

export async function findMailedPerson(queries: Queries, id: bigint): Promise<{ name: string } | undefined> {
  const { rows } = await sql<{ name: string }>`
    select name from people where id = ${id} and disabled_at is null`.execute(queries);
  return rows[0];
}

/** Whether a person may sign in and has this address now. */
export async function hasAddress(queries: Queries, id: bigint, mailNormal: string): Promise<boolean> {
  const { rows } = await sql`
    select from people where id = ${id} and mail_normal = ${mailNormal} and disabled_at is null`.execute(queries);
  return rows.length > 0;
}

/** A sign-up that can still be confirmed: its address is still free. */
export async function findMailedSignUp(
  queries: Queries,
  id: bigint,
  now: Date,
): Promise<{ expiresAt: Date } | undefined> {
  const { rows } = await sql<{ expiresAt: Date }>`
    select s.expires_at as "expiresAt" from sign_ups s
    where s.id = ${id} and s.ended_at is null and s.expires_at > ${now}
      and not exists (select from people p where p.mail_normal = s.mail_normal)`.execute(queries);
  return rows[0];
}

/** An address change that can still be confirmed: the address is still free. */
export async function findMailedAddressChange(
  queries: Queries,
  id: bigint,
  now: Date,
): Promise<{ personId: bigint; expiresAt: Date } | undefined> {
  const { rows } = await sql<{ personId: bigint; expiresAt: Date }>`
    select c.person_id as "personId", c.expires_at as "expiresAt"
    from address_changes c join people p on p.id = c.person_id and p.disabled_at is null
    where c.id = ${id} and c.ended_at is null and c.expires_at > ${now}
      and not exists (select from people o where o.mail_normal = c.mail_normal and o.id <> c.person_id)`.execute(
    queries,
  );
  return rows[0];
}

export async function findDoneAddressChange(
  queries: Queries,
  id: bigint,
): Promise<{ newAddress: string; at: Date } | undefined> {
  const { rows } = await sql<{ newAddress: string; at: Date }>`
    select mail_shown as "newAddress", done_at as at from address_changes
    where id = ${id} and done_at is not null`.execute(queries);
  return rows[0];
}

type MailedInvitation = { id: bigint; inviter: string; merchant: string; role: Role; expiresAt: Date };

export async function findMailedInvitation(
  queries: Queries,
  code: string,
  now: Date,
): Promise<MailedInvitation | undefined> {
  const { rows } = await sql<MailedInvitation>`
    select i.id, p.name as inviter, a.name as merchant, i.role, i.expires_at as "expiresAt"
    from invitations i join merchants a on a.id = i.merchant_account_id
    join people p on p.id = i.invited_by and p.disabled_at is null
    where i.code = ${code} and i.ended_at is null and i.expires_at > ${now}`.execute(queries);
  return rows[0];
}

type MailedReset = { personId: bigint; person: string; requestedBy: string | null; effectiveAt: Date };

export async function findMailedReset(queries: Queries, id: bigint): Promise<MailedReset | undefined> {
  const { rows } = await sql<MailedReset>`
    select r.person_id as "personId", p.name as person, o.name as "requestedBy", r.effective_at as "effectiveAt"
    from factor_resets r join people p on p.id = r.person_id and p.disabled_at is null
    left join people o on o.id = r.requested_by
    where r.id = ${id} and r.stopped_at is null and r.applied_at is null`.execute(queries);
  return rows[0];
}

export async function findMailedRole(
  queries: Queries,
  { personId, merchantAccountId }: { personId: bigint; merchantAccountId: bigint },
): Promise<{ merchant: string; role: Role } | undefined> {
  const { rows } = await sql<{ merchant: string; role: Role }>`
    select a.name as merchant, m.role from memberships m join merchants a on a.id = m.merchant_account_id
    join people p on p.id = m.person_id and p.disabled_at is null
    where m.person_id = ${personId} and m.merchant_account_id = ${merchantAccountId}`.execute(queries);
  return rows[0];
}
