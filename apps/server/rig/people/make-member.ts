import type { Role } from '@counterfoil/core/permission.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createMerchant } from '../../src/merchants/create-merchant.ts';
import { addMember } from '../../src/people/add-member.ts';
import { TESTER } from '../stores/open-store.ts';
import type { DashboardSite } from './dashboard-site.ts';
import type { RigPerson } from './make-person.ts';
import { enter, makePerson } from './make-person.ts';

/** Members of merchants, who are signed in and have just proven again who they are. */

export type RigMember = { person: RigPerson; account: string; merchantAccountId: bigint };

/** Makes a person who is signed in a member of one more merchant. */
export async function joinMerchant(site: DashboardSite, { code }: RigPerson, id: bigint, role: Role): Promise<void> {
  const context = { database: site.database, clock: systemClock, jobs: undefined };
  await addMember(context, TESTER, { merchantAccountId: id, personCode: code, role });
}

/** A member of a merchant; of a new one when none is given. */
export async function makeMember(
  site: DashboardSite,
  role: Role,
  of?: Pick<RigMember, 'account' | 'merchantAccountId'>,
): Promise<RigMember> {
  const context = { database: site.database, clock: systemClock, jobs: undefined };
  const merchantAccountId = of?.merchantAccountId ?? (await createMerchant(context, TESTER, { name: 'Acme' }));
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    merchantAccountId,
  ]);
  const person = await makePerson(site);
  await addMember(context, TESTER, { merchantAccountId, personCode: person.code, role });
  await enter(site, person);
  return { person, account: rows[0]?.code ?? '', merchantAccountId };
}

/** Lets a member see these stores of the merchant only. */
export async function limitMember(
  { database: { pool } }: DashboardSite,
  { person: { code }, merchantAccountId }: RigMember,
  storeIds: readonly bigint[],
): Promise<void> {
  await pool.query(
    `with limited as (
       update memberships m set all_stores = false from people p
       where p.id = m.person_id and p.code = $1 and m.merchant_account_id = $2 returning m.merchant_account_id, m.person_id)
     insert into membership_stores (merchant_account_id, person_id, store_id)
     select l.merchant_account_id, l.person_id, s.id from limited l, unnest($3::bigint[]) as s (id)`,
    [code, merchantAccountId, storeIds],
  );
}
