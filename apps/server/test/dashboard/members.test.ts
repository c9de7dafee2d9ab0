import type { Role } from '@counterfoil/core/permission.ts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { addMember } from '../../src/people/add-member.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { makePerson, signInByPassword } from '../../rig/people/make-person.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';

/** What members of a merchant see, and what strangers do not. */

let site: DashboardSite;
let store: TestStore;
let testStore: TestStore;
let foreign: TestStore;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
  const ring = await openKeyRing(site.path);
  store = await openStore(site.database, { ring });
  testStore = await openStore(site.database, { ring, test: true });
  foreign = await openStore(site.database, { ring });
});
afterAll(() => site.close());

const context = () => ({ database: site.database, clock: systemClock, jobs: undefined });

async function codeOf({ merchantAccountId }: TestStore): Promise<string> {
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    merchantAccountId,
  ]);
  return rows[0]?.code ?? '';
}

async function memberOf(of: TestStore, role: Role): Promise<RigPerson> {
  const person = await makePerson(site);
  await addMember(context(), TESTER, { merchantAccountId: of.merchantAccountId, personCode: person.code, role });
  await signInByPassword(person);
  return person;
}

test('a member sees the own merchant and its stores, with hints of keys and nothing of anybody else', async () => {
  const { browser } = await memberOf(store, 'viewer');
  const account = await codeOf(store);
  expect(account).toMatch(/^ACC-[0-9A-F]{16}$/);
  expect(await browser.send('GET', '/me')).toMatchObject({
    body: { data: { accounts: [{ account, role: 'viewer' }] } },
  });
  const { body } = await browser.send('GET', `/accounts/${account}/stores`);
  expect(body.data).toEqual({
    stores: [
      {
        merchant_id: store.merchantId,
        name: expect.any(String) as string,
        mode: 'live',
        active: true,
        api_key_hint: `cf_live_····${store.apiKey.slice(-4)}`,
      },
    ],
  });
});

test('a person of several merchants has a role at each', async () => {
  const person = await memberOf(store, 'owner');
  const other = { merchantAccountId: testStore.merchantAccountId, personCode: person.code, role: 'viewer' } as const;
  await addMember(context(), TESTER, other);
  const { body } = await person.browser.send('GET', '/me');
  const accounts = body.data?.['accounts'] as { role: string }[] | undefined;
  expect(new Set(accounts?.map(({ role }) => role))).toEqual(new Set(['owner', 'viewer']));
});

describe('to a stranger', () => {
  test('a merchant is as unknown as one that does not exist: the answers are equal byte for byte', async () => {
    const { browser } = await memberOf(store, 'owner');
    const known = await browser.send('GET', `/accounts/${await codeOf(foreign)}/stores`);
    const absent = await browser.send('GET', '/accounts/ACC-0000000000000000/stores');
    expect(known.status).toBe(404);
    expect(JSON.stringify(known.body)).toBe(JSON.stringify(absent.body));
  });

  test('a store of another merchant is unknown, also under the own merchant', async () => {
    const { browser } = await memberOf(store, 'owner');
    const account = await codeOf(store);
    const answers = await Promise.all(
      [
        `/accounts/${await codeOf(foreign)}/stores/${foreign.merchantId}`,
        `/accounts/${account}/stores/${foreign.merchantId}`,
        `/accounts/${account}/stores/MID-ABSENT`,
        `/accounts/ACC-0000000000000000/stores/${store.merchantId}`,
      ].map((path) => browser.send('GET', path)),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    expect(await browser.send('GET', `/accounts/${account}/stores/${store.merchantId}`)).toMatchObject({ status: 200 });
  });
});

test('a member of one store alone sees that store and no other of the merchant', async () => {
  const ring = await openKeyRing(site.path);
  const second = await openStore(site.database, { ring, wallet: false });
  await site.database.pool.query('update stores set merchant_account_id = $1 where id = $2', [
    store.merchantAccountId,
    second.id,
  ]);
  const person = await memberOf(store, 'viewer');
  await site.database.pool.query(
    `with person as (select id from people where code = $1), bounded as (
       update memberships set all_stores = false where person_id = (select id from person) returning merchant_account_id)
     insert into membership_stores (merchant_account_id, person_id, store_id)
     select $2, (select id from person), $3`,
    [person.code, store.merchantAccountId, second.id],
  );
  const account = await codeOf(store);
  const { body } = await person.browser.send('GET', `/accounts/${account}/stores`);
  expect(body.data).toMatchObject({ stores: [{ merchant_id: second.merchantId }] });
  expect(await person.browser.send('GET', `/accounts/${account}/stores/${store.merchantId}`)).toMatchObject({
    status: 404,
  });
});

test('a member whose role nobody knows may do nothing', async () => {
  const person = await memberOf(store, 'owner');
  await site.database.pool.query('alter table memberships drop constraint memberships_role_check');
  await site.database.pool.query(
    `update memberships set role = 'superuser' where person_id = (select id from people where code = $1)`,
    [person.code],
  );
  expect(await person.browser.send('GET', `/accounts/${await codeOf(store)}/stores`)).toMatchObject({
    status: 403,
    body: { error_code: 'NO_PERMISSION' },
  });
});

test('nobody is asked to sign in before anything is said about a merchant', async () => {
  const browser = openBrowser(site);
  expect(await browser.send('GET', `/accounts/${await codeOf(store)}/stores`)).toMatchObject({
    status: 401,
    body: { error_code: 'NOT_SIGNED_IN' },
  });
});
