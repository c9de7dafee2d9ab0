import type { Language } from '@counterfoil/core/language.ts';
import type { Role } from '@counterfoil/core/permission.ts';
import { LOOKING } from '@counterfoil/core/permission.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { Beholder } from './beholder.ts';
import { HAS_FACTOR } from './factor-sql.ts';

type Membership = {
  merchantAccountId: bigint;
  merchantCode: string;
  merchantName: string;
  role: Role;
  locked: boolean;
  /** Whether live stores wait for approval. */
  waiting: boolean;
  twoFactorRequired: boolean;
  /** Whether the person has no access until they set up a two-factor method. */
  lacksTwoFactor: boolean;
};

type Reached = { merchantAccountId: bigint; role: Role | typeof LOOKING; allStores: boolean };

/** Whether membership `m` lacks required two-factor, as in row security (`own_merchants`). */
const LACKS_TWO_FACTOR = sql`lacks_two_factor(m.merchant_account_id, m.person_id)`;
export const HAS_ACCESS = sql`not ${LACKS_TWO_FACTOR}`;

/** The merchants of a person, by name, including those without access. */
export async function listMemberships(queries: Queries, personId: bigint, limit: number): Promise<Membership[]> {
  const { rows } = await sql<Membership>`
    select m.merchant_account_id as "merchantAccountId", a.code as "merchantCode", a.name as "merchantName", m.role,
      a.methods_locked_at is not null as locked, a.opened_by is not null and a.approved_at is null as waiting, a.two_factor_required as "twoFactorRequired",
      ${LACKS_TWO_FACTOR} as "lacksTwoFactor"
    from memberships m join merchants a on a.id = m.merchant_account_id
    where m.person_id = ${personId} order by a.name, a.id limit ${limit}`.execute(queries);
  return rows;
}

/** Merchants that a viewer can see, as a member or in a support session; perhaps both. */
export const REACHED = ({ personId, sessionHash, now }: Beholder) => sql`(
  select m.merchant_account_id, m.person_id, m.role, m.all_stores, 1 as place from memberships m
  where m.person_id = ${personId} and ${HAS_ACCESS}
  union all
  select v.merchant_account_id, v.person_id, ${LOOKING}, true, 2
  from operator_views v
  where (select is_operator()) and v.session_hash = ${sessionHash} and v.person_id = ${personId} and v.ended_at is null and v.ends_at > ${now})`;

/** As REACHED, for the person of a public code; none for a person who may not sign in. */
export const BELONGS = (personCode: string) => sql`(
  select m.merchant_account_id, m.person_id, m.role, m.all_stores
  from memberships m join people p on p.id = m.person_id and p.disabled_at is null
  where p.code = ${personCode} and ${HAS_ACCESS})`;

/** A person's relation to a merchant; undefined for a stranger. */
export async function findMembership(
  queries: Queries | Tx,
  beholder: Beholder,
  merchantCode: string,
): Promise<Reached | undefined> {
  const { rows } = await sql<Reached>`
    select m.merchant_account_id as "merchantAccountId", m.role, m.all_stores as "allStores"
    from merchants a join ${REACHED(beholder)} m on m.merchant_account_id = a.id
    where a.code = ${merchantCode} order by m.place limit 1`.execute(queries);
  return rows[0];
}

export async function isWithoutTwoFactor(
  queries: Queries,
  { personId }: Beholder,
  merchantCode: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from merchants a join memberships m on m.merchant_account_id = a.id and m.person_id = ${personId}
    where a.code = ${merchantCode} and ${LACKS_TWO_FACTOR}`.execute(queries);
  return rows.length > 0;
}

/** Whether a member has no access to a merchant without two-factor authentication. */
export async function lacksTwoFactor(
  queries: Queries,
  { merchantAccountId, personId }: { merchantAccountId: bigint; personId: bigint },
): Promise<boolean> {
  const { rows } = await sql<{ lacks: boolean }>`
    select lacks_two_factor(${merchantAccountId}, ${personId}) as lacks`.execute(queries);
  return rows[0]?.lacks ?? false;
}

export async function findMerchantByCode(tx: Tx, merchantCode: string): Promise<bigint | undefined> {
  const { rows } = await sql<{ id: bigint }>`select id from merchants where code = ${merchantCode}`.execute(tx);
  return rows[0]?.id;
}

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

export type ListedMember = {
  person: string;
  name: string;
  mail: string;
  role: Role;
  since: Date;
  hasFactor: boolean;
  isDisabled: boolean;
};

export async function listMembers(
  queries: Queries,
  merchantAccountId: bigint,
  limit: number,
  role?: Role,
): Promise<ListedMember[]> {
  const { rows } = await sql<ListedMember>`
    select p.code as person, p.name, p.mail_shown as mail, m.role, m.since,
      p.disabled_at is not null as "isDisabled",
      ${HAS_FACTOR} as "hasFactor"
    from memberships m join people p on p.id = m.person_id
    where m.merchant_account_id = ${merchantAccountId} and m.role = coalesce(${role ?? null}::text, m.role)
    order by p.name, p.id limit ${limit}`.execute(queries);
  return rows;
}

type Owner = { id: bigint; mail: string; language: Language };

export async function listOwners(tx: Tx, merchantAccountId: bigint, limit: number): Promise<Owner[]> {
  const { rows } = await sql<Owner>`
    select p.id, p.mail_shown as mail, p.language
    from memberships m join people p on p.id = m.person_id and p.disabled_at is null
    where m.merchant_account_id = ${merchantAccountId} and m.role = 'owner'
    order by m.person_id limit ${limit}`.execute(tx);
  return rows;
}

export async function listTeam(tx: Tx, merchantAccountId: bigint, limit: number): Promise<Owner[]> {
  const { rows } = await sql<Owner>`
    select p.id, p.mail_shown as mail, p.language
    from memberships m join people p on p.id = m.person_id and p.disabled_at is null
    where m.merchant_account_id = ${merchantAccountId} order by m.person_id limit ${limit}`.execute(tx);
  return rows;
}

type OwnerOfMerchant = { merchantAccountId: bigint; ownerId: bigint };

/** The other owners of the merchants that require two-factor of a person. */
export async function listTwoFactorOwners(tx: Tx, personId: bigint, limit: number): Promise<OwnerOfMerchant[]> {
  const { rows } = await sql<OwnerOfMerchant>`
    select merchant_account_id as "merchantAccountId", owner_id as "ownerId" from two_factor_owners(${personId})
    order by 1, 2 limit ${limit}`.execute(tx);
  return rows;
}

/** Everyone who was an owner since a moment, at every email address since then, except disabled people. */
export async function listRecentOwners(
  tx: Tx,
  { merchantAccountId, since, limit }: { merchantAccountId: bigint; since: Date; limit: number },
): Promise<Owner[]> {
  const { rows } = await sql<Owner>`
    with recent as (
      select m.person_id from memberships m where m.merchant_account_id = ${merchantAccountId} and m.role = 'owner'
      union
      select f.person_id from former_owners f where f.merchant_account_id = ${merchantAccountId} and f.ended_at >= ${since}
    )
    select p.id, a.mail, p.language
    from recent r join people p on p.id = r.person_id and p.disabled_at is null
    cross join lateral (
      select p.mail_shown as mail
      union
      select c.replaced_shown from address_changes c
      where c.person_id = p.id and c.done_at >= ${since} and c.replaced_shown is not null) a
    order by p.id, a.mail limit ${limit}`.execute(tx);
  return rows;
}

/** Records a former owner. */
export async function saveFormerOwner(
  tx: Tx,
  { merchantAccountId, personId }: { merchantAccountId: bigint; personId: bigint },
  at: Date,
): Promise<void> {
  await sql`
    insert into former_owners (merchant_account_id, person_id, ended_at) values (${merchantAccountId}, ${personId}, ${at})
    on conflict (merchant_account_id, person_id) do update set ended_at = excluded.ended_at`.execute(tx);
}

export async function hasMembers(tx: Tx, merchantAccountId: bigint): Promise<boolean> {
  const { rows } = await sql`
    select from memberships where merchant_account_id = ${merchantAccountId} limit 1`.execute(tx);
  return rows.length > 0;
}

export type LockedMember = { personId: bigint; person: string; role: Role };

/** Locks all memberships in order: two owners who remove each other must not leave a merchant without one. */
export async function lockMembers(tx: Tx, merchantAccountId: bigint): Promise<LockedMember[]> {
  const { rows } = await sql<LockedMember>`
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
