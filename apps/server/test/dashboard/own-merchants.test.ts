import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { approveMerchant } from '../../src/merchants/approve-merchant.ts';
import { createPlan } from '../../src/merchants/create-plan.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { makePerson, signInByPassword } from '../../rig/people/make-person.ts';
import { queueAtPerson } from '../../rig/people/queue-at-person.ts';
import { LIFTED_PLAN, TESTER } from '../../rig/stores/open-store.ts';

/** Businesses that users open themselves, where registration is open. */

const PLAN = { ...LIFTED_PLAN, code: 'own', feeRatePercent: '0.5', minimumFeeMicroUsd: 0n, trialDays: 30 };

let site: DashboardSite;
let automatic: DashboardSite;
beforeAll(async () => {
  const plan = { COUNTERFOIL_STORE_PLAN: PLAN.code };
  site = await openDashboardSite(inject('template'), plan);
  automatic = await openDashboardSite(inject('template'), { ...plan, COUNTERFOIL_LIVE_APPROVAL: 'automatic' });
  for (const { database } of [site, automatic]) await createPlan({ database, clock: systemClock }, TESTER, PLAN);
});
afterAll(async () => {
  await site?.close();
  await automatic?.close();
});

async function newPerson(at = site): Promise<RigPerson> {
  const person = await makePerson(at);
  await signInByPassword(person);
  return person;
}

const open = ({ browser }: RigPerson, name = 'Harbour Books') =>
  browser.send('POST', '/accounts', { name, store: `${name} shop` });

async function openedBy(person: RigPerson): Promise<string> {
  return String((await open(person)).body.data?.['account']);
}

const createStore = ({ browser }: RigPerson, account: string, mode: 'live' | 'test') =>
  browser.send('POST', `/accounts/${account}/stores`, { name: 'Another', mode });

async function trialOf({ database }: DashboardSite, merchantId: unknown): Promise<Date | null | undefined> {
  const { rows } = await database.pool.query<{ ends: Date | null }>(
    'select trial_ends_at as ends from stores where merchant_id = $1',
    [merchantId],
  );
  return rows[0]?.ends;
}

async function idOf({ database }: DashboardSite, account: string): Promise<bigint> {
  const { rows } = await database.pool.query<{ id: bigint }>('select id from merchants where code = $1', [account]);
  return rows[0]?.id ?? 0n;
}

const approve = async (account: string) =>
  approveMerchant({ database: site.as('admin'), clock: systemClock }, TESTER, {
    merchantAccountId: await idOf(site, account),
  });

test('a verified user opens a business with a test store and is its owner', async () => {
  const person = await newPerson();
  expect((await person.browser.send('GET', '/me')).body.data).toMatchObject({ accounts: [], may_open_account: true });
  const { status, body } = await open(person);
  expect(status).toBe(200);
  const { account, merchant_id: store } = body.data ?? {};
  expect((await person.browser.send('GET', '/me')).body.data).toMatchObject({
    accounts: [{ account, name: 'Harbour Books', role: 'owner', waiting: true }],
  });
  const stores = await person.browser.send('GET', `/accounts/${String(account)}/stores`);
  expect(stores.body.data).toMatchObject({
    stores: [{ merchant_id: store, mode: 'test', name: 'Harbour Books shop' }],
  });
});

test('a business that waits for approval has test stores only, and live ones once an operator approved it', async () => {
  const person = await newPerson();
  const account = await openedBy(person);
  expect(await createStore(person, account, 'live')).toMatchObject({
    status: 409,
    body: { error_code: 'MERCHANT_WAITS' },
  });
  expect(await createStore(person, account, 'test')).toMatchObject({ status: 200 });
  expect(await approve(account)).toEqual({ isNew: true });
  expect(await approve(account)).toEqual({ isNew: false });
  expect(await createStore(person, account, 'live')).toMatchObject({ status: 200 });
  expect((await person.browser.send('GET', '/me')).body.data).toMatchObject({
    accounts: [{ account, waiting: false }],
  });
});

test('a business is approved immediately where the operator chose automatic approval', async () => {
  const person = await newPerson(automatic);
  expect(await createStore(person, await openedBy(person), 'live')).toMatchObject({ status: 200 });
});

test('a user opens at most three businesses', async () => {
  const person = await newPerson();
  for (let opened = 0; opened < 3; opened += 1) expect(await open(person)).toMatchObject({ status: 200 });
  expect(await open(person)).toMatchObject({ status: 409, body: { error_code: 'TOO_MANY_MERCHANTS' } });
  expect((await person.browser.send('GET', '/me')).body.data).toMatchObject({ may_open_account: false });
});

test('a user who opens four businesses at the same moment gets three', async () => {
  const person = await newPerson();
  const opened = await queueAtPerson(
    site,
    person,
    Array.from({ length: 4 }, () => () => open(person)),
  );
  expect(opened.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 200, 200, 409]);
});

test('a user has one fee trial, in the first live store of all businesses that they opened', async () => {
  const person = await newPerson(automatic);
  const [first, second] = [await openedBy(person), await openedBy(person)];
  const stores = [];
  for (const account of [first, first, second])
    stores.push((await createStore(person, account, 'live')).body.data?.['merchant_id']);
  const trials = [];
  for (const store of stores) trials.push(await trialOf(automatic, store));
  expect(trials).toEqual([expect.any(Date), null, null]);
});

test('a business that an operator opened keeps the fee trial of its plan for each store', async () => {
  const { person, account } = await makeMember(automatic, 'owner');
  for (let store = 0; store < 2; store += 1) {
    const { body } = await createStore(person, account, 'live');
    expect(await trialOf(automatic, body.data?.['merchant_id'])).toEqual(expect.any(Date));
  }
});

test.each(['closed', 'invited'])('a user cannot open a business where registration is %s', async (policy) => {
  const plan = { COUNTERFOIL_STORE_PLAN: PLAN.code, COUNTERFOIL_REGISTRATION: policy };
  const other = await openDashboardSite(inject('template'), plan);
  try {
    const person = await newPerson(other);
    expect(await open(person)).toMatchObject({ status: 403, body: { error_code: 'REGISTRATION_CLOSED' } });
    expect((await person.browser.send('GET', '/me')).body.data).toMatchObject({ may_open_account: false });
    expect(await person.browser.send('GET', '/registration')).toMatchObject({ body: { data: { sign_up: false } } });
  } finally {
    await other.close();
  }
});
