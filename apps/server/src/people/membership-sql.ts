import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { Role } from './permission.ts';

type Membership = { merchantAccountId: bigint; merchantCode: string; merchantName: string; role: Role };

/** The merchants that a person belongs to, by name. */
export async function listMemberships(queries: Queries, personId: bigint, limit: number): Promise<Membership[]> {
  const { rows } = await sql<Membership>`
    select m.merchant_account_id as "merchantAccountId", a.code as "merchantCode", a.name as "merchantName", m.role
    from memberships m join merchants a on a.id = m.merchant_account_id
    where m.person_id = ${personId} order by a.name, a.id limit ${limit}`.execute(queries);
  return rows;
}

/** A person's membership of the merchant with a public code. */
export async function findMembership(
  queries: Queries | Tx,
  personId: bigint,
  merchantCode: string,
): Promise<(Membership & { allStores: boolean }) | undefined> {
  const { rows } = await sql<Membership & { allStores: boolean }>`
    select m.merchant_account_id as "merchantAccountId", a.code as "merchantCode", a.name as "merchantName", m.role,
      m.all_stores as "allStores"
    from merchants a join memberships m on m.merchant_account_id = a.id and m.person_id = ${personId}
    where a.code = ${merchantCode}`.execute(queries);
  return rows[0];
}

/** Inserts a membership; false when the person is a member already. */
export async function insertMembership(
  tx: Tx,
  { merchantAccountId, personId, role }: { merchantAccountId: bigint; personId: bigint; role: Role },
  at: Date,
): Promise<boolean> {
  const { rows } = await sql`
    insert into memberships (merchant_account_id, person_id, role, since)
    values (${merchantAccountId}, ${personId}, ${role}, ${at}) on conflict do nothing returning 1`.execute(tx);
  return rows.length > 0;
}

type ListedMember = { person: string; name: string; mail: string; role: Role; since: Date; hasFactor: boolean };

/** The members of a merchant, by name. */
export async function listMembers(queries: Queries, merchantAccountId: bigint, limit: number): Promise<ListedMember[]> {
  const { rows } = await sql<ListedMember>`
    select p.code as person, p.name, p.mail_shown as mail, m.role, m.since,
      exists (select from totp t where t.person_id = p.id and t.confirmed_at is not null)
        or exists (select from passkeys k where k.person_id = p.id) as "hasFactor"
    from memberships m join people p on p.id = m.person_id
    where m.merchant_account_id = ${merchantAccountId} order by p.name, p.id limit ${limit}`.execute(queries);
  return rows;
}

/**
 * Locks all memberships of a merchant in order, so that two owners who remove each other at the same moment cannot
 * leave it without one.
 */
export async function lockMembers(
  tx: Tx,
  merchantAccountId: bigint,
): Promise<{ personId: bigint; person: string; role: Role }[]> {
  const { rows } = await sql<{ personId: bigint; person: string; role: Role }>`
    select m.person_id as "personId", p.code as person, m.role from memberships m join people p on p.id = m.person_id
    where m.merchant_account_id = ${merchantAccountId} order by m.person_id for update of m`.execute(tx);
  return rows;
}

export async function saveRole(tx: Tx, merchantAccountId: bigint, personId: bigint, role: Role): Promise<void> {
  await sql`
    update memberships set role = ${role}
    where merchant_account_id = ${merchantAccountId} and person_id = ${personId}`.execute(tx);
}

export async function deleteMembership(tx: Tx, merchantAccountId: bigint, personId: bigint): Promise<void> {
  await sql`
    delete from memberships where merchant_account_id = ${merchantAccountId} and person_id = ${personId}`.execute(tx);
}
