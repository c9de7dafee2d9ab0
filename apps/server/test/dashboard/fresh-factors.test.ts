import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { DASHBOARD_URL, openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { giveApp, givePasskey, signInByPassword } from '../../rig/people/make-person.ts';
import type { MethodMerchant } from '../../rig/people/method-rig.ts';
import { openMerchant } from '../../rig/people/method-rig.ts';
import { createSoftwareAuthenticator } from '../../rig/people/software-authenticator.ts';
import { nextAddress } from '../../rig/stores/open-store.ts';

/** A two-factor method counts in the session that added it, from that moment on. */

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

const addWallet = (cookie = owner.browser.cookie) =>
  owner.browser.send('POST', merchant.changes, { network: 'BSC', address: nextAddress() }, { cookie });

const sessionsOf = async () => {
  const { rows } = await site.database.pool.query<{ proof: string; ends: Date; elevated: Date }>(
    `select s.proof, s.absolute_until as ends, s.elevated_until as elevated from sessions s
       join people p on p.id = s.person_id where p.code = $1 and s.revoked_at is null`,
    [owner.code],
  );
  return rows;
};

test('a new owner cannot add the first wallet of a live store without a two-factor method', async () => {
  expect(await addWallet()).toMatchObject({ status: 403, body: { error_code: 'FACTOR_NEEDED' } });
});

test.each([
  ['a passkey', givePasskey],
  ['an authenticator app', giveApp],
])('an owner who has just added %s adds the first wallet without another confirmation', async (_title, give) => {
  await give(owner);
  expect(await addWallet()).toMatchObject({ status: 200, body: { data: { change: null } } });
});

test('an owner whose passkey and code were rejected still has no two-factor method', async () => {
  const { browser } = owner;
  const options = (await browser.send('POST', '/me/passkeys/options', {})).body.data;
  const answer = createSoftwareAuthenticator().create(options, 'https://evil.test');
  expect(await browser.send('POST', '/me/passkeys/verify', { answer, name: 'Phone' })).toMatchObject({ status: 401 });
  await browser.send('POST', '/me/totp', {});
  expect(await browser.send('POST', '/me/totp/confirm', { totp: '000000' })).toMatchObject({ status: 401 });
  expect(await addWallet()).toMatchObject({ status: 403, body: { error_code: 'FACTOR_NEEDED' } });
});

test.each([
  ['a passkey', givePasskey, 'passkey'],
  ['an authenticator app', giveApp, 'totp'],
])('a session that adds %s gets a new token, and a copy of the old one is worthless', async (_title, give, proof) => {
  const copied = owner.browser.cookie;
  await give(owner);
  expect(owner.browser.cookie).not.toBe(copied);
  expect(await openBrowser(site).send('GET', '/me', undefined, { cookie: copied })).toMatchObject({ status: 401 });
  expect(await sessionsOf()).toMatchObject([{ proof }]);
});

test('a session that adds a passkey ends when it would have, and so does its step-up', async () => {
  const [before] = await sessionsOf();
  const options = (await owner.browser.send('POST', '/me/passkeys/options', {})).body.data;
  const answer = createSoftwareAuthenticator().create(options, DASHBOARD_URL);
  await owner.browser.send('POST', '/me/passkeys/verify', { answer, name: 'Phone' });
  expect(await sessionsOf()).toEqual([{ ...before, proof: 'passkey' }]);
});

test('a session has no two-factor once the last method of its user is removed', async () => {
  await giveApp(owner);
  await givePasskey(owner);
  expect(await owner.browser.send('DELETE', '/me/totp')).toMatchObject({ status: 200 });
  expect(await sessionsOf()).toMatchObject([{ proof: 'passkey' }]);
  const { body } = await owner.browser.send('GET', '/me/passkeys');
  const last = (body.data?.['passkeys'] as { passkey: string }[] | undefined)?.[0];
  expect(await owner.browser.send('DELETE', `/me/passkeys/${last?.passkey}`)).toMatchObject({ status: 200 });
  expect(await addWallet()).toMatchObject({ status: 403, body: { error_code: 'FACTOR_NEEDED' } });
});

test('a session that adds two passkeys at the same time adds one of them and stays one session', async () => {
  const { browser } = owner;
  const answers = [];
  for (const device of [createSoftwareAuthenticator(), createSoftwareAuthenticator()]) {
    const options = (await browser.send('POST', '/me/passkeys/options', {})).body.data;
    answers.push(device.create(options, DASHBOARD_URL));
  }
  const added = await Promise.all(
    answers.map((answer) => browser.send('POST', '/me/passkeys/verify', { answer, name: 'Phone' })),
  );
  expect(added.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 401]);
  expect(await sessionsOf()).toHaveLength(1);
});
