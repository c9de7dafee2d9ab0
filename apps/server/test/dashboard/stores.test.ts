import type { Role } from '@counterfoil/core/permission.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { makePerson, signInByPassword } from '../../rig/people/make-person.ts';
import { LIFTED_PLAN, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { addMember } from '../../src/people/add-member.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';

/** Stores that members create in the dashboard. */

let site: DashboardSite;
let bare: DashboardSite;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'), { COUNTERFOIL_STORE_PLAN: LIFTED_PLAN.code });
  bare = await openDashboardSite(inject('template'), { COUNTERFOIL_STORE_PLAN: 'nowhere' });
});
afterAll(() => Promise.all([site.close(), bare.close()]));

let merchantAccountId: bigint;
let account: string;

async function openMerchant(at: DashboardSite): Promise<void> {
  const opened = await openStore(at.database, { ring: await openKeyRing(at.path) });
  ({ merchantAccountId } = opened);
  const { rows } = await at.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    merchantAccountId,
  ]);
  account = rows[0]?.code ?? '';
}
beforeEach(() => openMerchant(site));

async function member(role: Role, at = site): Promise<RigPerson> {
  const person = await makePerson(at);
  const context = { database: at.database, clock: systemClock, jobs: undefined };
  await addMember(context, TESTER, { merchantAccountId, personCode: person.code, role });
  await signInByPassword(person);
  return person;
}

const create = ({ browser }: RigPerson, mode: 'live' | 'test', name = 'Shop') =>
  browser.send('POST', `/accounts/${account}/stores`, { name, mode });

describe('a store that a member creates', () => {
  test('is listed, has a key, and stands in the audit with the name of the member', async () => {
    const owner = await member('owner');
    const { status, body } = await create(owner, 'live', '  A shop  ');
    expect({ status, mode: body.data?.['mode'] }).toEqual({ status: 200, mode: 'live' });
    const { body: listed } = await owner.browser.send('GET', `/accounts/${account}/stores`);
    expect(listed.data?.['stores']).toContainEqual({
      merchant_id: body.data?.['merchant_id'],
      name: 'A shop',
      mode: 'live',
      active: true,
      api_key_hint: expect.stringMatching(/^cf_live_····/),
    });
    const { rows } = await site.database.pool.query(
      `select a.actor from audit_entries a join stores s on a.subject = 'store:' || s.id
       where a.action = 'store.create' and s.merchant_id = $1`,
      [body.data?.['merchant_id']],
    );
    expect(rows).toEqual([{ actor: `person:${owner.code}` }]);
  });

  test('is a test store with addresses of the sandbox, when a developer creates it', async () => {
    const developer = await member('developer');
    const { body } = await create(developer, 'test');
    const { rows } = await site.database.pool.query(
      `select distinct w.family from wallets w join stores s on s.id = w.store_id where s.merchant_id = $1`,
      [body.data?.['merchant_id']],
    );
    expect(rows).toEqual([{ family: 'sandbox' }]);
  });
});

describe('a store is not created', () => {
  test('live by a developer, or at all by finance and viewers', async () => {
    expect(await create(await member('developer'), 'live')).toMatchObject({ status: 403 });
    for (const role of ['finance', 'viewer'] as const)
      expect(await create(await member(role), 'test')).toMatchObject({ status: 403 });
  });

  test('by a member who sees some stores only', async () => {
    const admin = await member('admin');
    await site.database.pool.query('update memberships set all_stores = false where merchant_account_id = $1', [
      merchantAccountId,
    ]);
    expect(await create(admin, 'test')).toMatchObject({ status: 403, body: { error_code: 'NO_PERMISSION' } });
  });

  test('where the operator offers no plan, or one that does not exist', async () => {
    await openMerchant(bare);
    expect(await create(await member('owner', bare), 'live')).toMatchObject({
      status: 409,
      body: { error_code: 'STORES_NOT_OFFERED' },
    });
  });

  test('by a merchant that has two hundred, however many ask at once', async () => {
    await site.database.pool.query(
      `insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
       select $1::bigint, 'MID-' || $1::bigint || '-' || n, 'A', 'Store', (select min(id) from plans), now() from generate_series(2, 199) n`,
      [merchantAccountId],
    );
    const owner = await member('owner');
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(owner, 'test')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(4);
    expect(await create(owner, 'test')).toMatchObject({
      status: 409,
      body: { error_code: 'TOO_MANY_STORES', details: { limit: 200 } },
    });
  });

  test('while the methods of the merchant are locked, because it would have a new API key', async () => {
    const owner = await member('owner');
    await owner.browser.send('POST', `/accounts/${account}/lock`, {});
    expect(await create(owner, 'live')).toMatchObject({ status: 409, body: { error_code: 'METHODS_LOCKED' } });
  });
});
