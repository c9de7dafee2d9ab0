import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { DASHBOARD_URL, openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { giveApp, givePasskey, nextCode, signInByPassword } from '../../rig/people/make-person.ts';
import type { MethodMerchant } from '../../rig/people/method-rig.ts';
import { openMerchant } from '../../rig/people/method-rig.ts';
import { createSoftwareAuthenticator } from '../../rig/people/software-authenticator.ts';
import { nextAddress } from '../../rig/stores/open-store.ts';

/** Recovery codes come with the first two-factor method of any kind, and a user confirms having saved them. */

let site: DashboardSite;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
});
afterAll(() => site.close());

let merchant: MethodMerchant;
let owner: RigPerson;
beforeEach(async () => {
  merchant = await openMerchant(site, { wallet: false });
  const { account, store } = merchant;
  owner = (await makeMember(site, 'owner', { account, merchantAccountId: store.merchantAccountId })).person;
  await signInByPassword(owner);
  await owner.browser.send('POST', '/session/step-up', { password: owner.password });
});

async function addPasskey(): Promise<string[]> {
  const { browser } = owner;
  const options = (await browser.send('POST', '/me/passkeys/options', {})).body.data;
  const answer = createSoftwareAuthenticator().create(options, DASHBOARD_URL);
  const { body } = await browser.send('POST', '/me/passkeys/verify', { answer, name: 'Phone' });
  return body.data?.['recovery_codes'] as string[];
}

async function addApp(): Promise<string[]> {
  const { browser } = owner;
  owner.totpSecret = String((await browser.send('POST', '/me/totp', {})).body.data?.['secret']);
  const { body } = await browser.send('POST', '/me/totp/confirm', { totp: nextCode(owner, -1) });
  return body.data?.['recovery_codes'] as string[];
}

const me = async () => (await owner.browser.send('GET', '/me')).body.data;
const confirm = (recovery: unknown) => owner.browser.send('POST', '/me/recovery-codes/confirm', { recovery });
const addWallet = () => owner.browser.send('POST', merchant.changes, { network: 'BSC', address: nextAddress() });
const signIn = (browser = openBrowser(site)) =>
  browser.send('POST', '/session', { mail: owner.mail, password: owner.password });

test.each([
  ['a passkey', addPasskey],
  ['an authenticator app', addApp],
])('a first method that is %s comes with ten recovery codes, one of which signs in', async (_title, add) => {
  const codes = await add();
  expect(codes).toHaveLength(10);
  expect(await me()).toMatchObject({ recovery_codes_left: 10, recovery_codes_confirmed: false });
  const other = openBrowser(site);
  await signIn(other);
  expect(await other.send('POST', '/session/factor', { recovery: codes[0] })).toMatchObject({ status: 200 });
});

test('a second method of another kind keeps the recovery codes', async () => {
  const codes = await addPasskey();
  expect(await addApp()).toEqual([]);
  expect(await me()).toMatchObject({ recovery_codes_left: 10 });
  expect(await confirm(codes[9])).toMatchObject({ status: 200 });
});

test('an app that is removed beside a passkey leaves the recovery codes', async () => {
  const codes = await addApp();
  await givePasskey(owner);
  expect(await owner.browser.send('DELETE', '/me/totp')).toMatchObject({ status: 200 });
  expect(await me()).toMatchObject({ has_factor: true, recovery_codes_left: 10 });
  expect(await confirm(codes[0])).toMatchObject({ status: 200 });
});

test('an owner adds a wallet to a live store only after typing one of the recovery codes, which stays valid', async () => {
  const codes = await addPasskey();
  const refused = { status: 409, body: { error_code: 'RECOVERY_CODES_UNCONFIRMED' } };
  expect(await addWallet()).toMatchObject(refused);
  expect(await confirm('AAAAA-AAAAA')).toMatchObject({ status: 401, body: { error_code: 'FACTOR_WRONG' } });
  expect(await addWallet()).toMatchObject(refused);
  expect(await confirm(codes[6]?.toLowerCase())).toMatchObject({ status: 200 });
  expect(await me()).toMatchObject({ recovery_codes_left: 10, recovery_codes_confirmed: true });
  expect(await addWallet()).toMatchObject({ status: 200 });
});

test('new recovery codes must be confirmed again, and an old one confirms nothing', async () => {
  await giveApp(owner);
  const { recoveryCodes: [old] = [] } = owner;
  await owner.browser.send('POST', '/me/recovery-codes', {});
  expect(await me()).toMatchObject({ recovery_codes_confirmed: false });
  expect(await confirm(old)).toMatchObject({ status: 401 });
});

test('recovery codes of another user confirm nothing', async () => {
  const codes = await addPasskey();
  const { person: other } = await makeMember(site, 'owner');
  await givePasskey(other);
  const { browser } = other;
  expect(await browser.send('POST', '/me/recovery-codes/confirm', { recovery: codes[0] })).toMatchObject({
    status: 401,
  });
});

test('recovery codes cannot be guessed by confirming them', async () => {
  await addPasskey();
  const statuses: number[] = [];
  for (let guess = 0; guess < 7; guess += 1) statuses.push((await confirm('AAAAA-AAAAA')).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
});

test.each([
  ['a passkey alone', addPasskey, { totp: false, passkey: true, recovery: true }],
  ['an app alone', addApp, { totp: true, passkey: false, recovery: true }],
])('a sign-in of a user with %s offers what the account has', async (_title, add, methods) => {
  await add();
  expect(await signIn()).toMatchObject({ body: { data: { next: 'factor', methods } } });
});

test('a sign-in without two-factor, or with a wrong password, names no method', async () => {
  const none = { totp: false, passkey: false, recovery: false };
  expect(await signIn()).toMatchObject({ body: { data: { next: 'done', methods: none } } });
  await addPasskey();
  const { mail } = owner;
  const refused = await openBrowser(site).send('POST', '/session', { mail, password: 'a wrong long word' });
  expect(refused.text).not.toContain('passkey');
});
