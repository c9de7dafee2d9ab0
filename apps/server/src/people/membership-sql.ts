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
