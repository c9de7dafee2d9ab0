import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Browser } from '../../rig/people/dashboard-site.ts';
import { DASHBOARD_URL, openBrowser } from '../../rig/people/dashboard-site.ts';
import type { MailedSite } from '../../rig/people/mailed-site.ts';
import { awaitMail, openMailedSite, tokenIn } from '../../rig/people/mailed-site.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import { createSoftwareAuthenticator } from '../../rig/people/software-authenticator.ts';
import { LIFTED_PLAN, nextAddress, openStore } from '../../rig/stores/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { totpCode } from '../../src/people/totp.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';

const STEP_MS = 30_000;
const ANNA = { mail: 'anna@acme.test', name: 'Anna', language: 'en', password: 'the long word of anna' };
const ANNA_SIGN_IN = { mail: ANNA.mail, password: ANNA.password };
const BEN = { mail: 'ben@acme.test', name: 'Ben', language: 'es', password: 'la palabra larga de ben' };

let site: MailedSite;
beforeAll(async () => {
  site = await openMailedSite(inject('template'), {
    COUNTERFOIL_REGISTRATION: 'invited',
    COUNTERFOIL_STORE_PLAN: LIFTED_PLAN.code,
  });
  // The plan that stores get comes with this store, of another merchant.
  await openStore(site.database, { ring: await openKeyRing(site.path) });
});
afterAll(() => site.close());

/** Sends a request that must succeed. */
async function done(browser: Browser, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await browser.send(method, path, body);
  expect({ method, path, status: answer.status, error: answer.body.error_code }).toMatchObject({ status: 200 });
  return answer.body.data ?? {};
}

/** Sends a request that must be refused for a reason. */
async function refused(browser: Browser, [method, path, body]: [string, string, unknown?], code: string) {
  const answer = await browser.send(method, path, body);
  expect({ method, path, error: answer.body.error_code }).toEqual({ method, path, error: code });
}

/** Accepts an emailed invitation, creating the user. */
async function join({ mail, ...chosen }: typeof ANNA): Promise<Browser> {
  const browser = openBrowser(site);
  const token = tokenIn(await awaitMail(site, mail, /Acme/));
  expect(await done(browser, 'POST', '/invitations/open', { token })).toMatchObject({
    account: 'Acme',
    mail,
    known: false,
  });
  await done(browser, 'POST', '/invitations/accept-new', { ...chosen, token });
  await refused(openBrowser(site), ['POST', '/invitations/open', { token }], 'NOT_FOUND');
  return browser;
}

test('a merchant is invited, proves who they are twice over, opens a store, receives money there, and gives a colleague less', async () => {
  // Olga owns Acme, and invites Anna to own it with her.
  const { person: olga, account } = await makeMember(site, 'owner');
  const team = `/accounts/${account}/team`;
  await done(olga.browser, 'POST', `${team}/invitations`, { mail: ANNA.mail, role: 'owner' });

  // Anna follows the link in the email, and chooses a password.
  const first = await join(ANNA);
  expect(await done(first, 'GET', '/me')).toMatchObject({ mail: ANNA.mail, has_factor: false, elevated: false });

  // She puts a passkey on her phone, signs out, and comes back with the phone alone.
  await done(first, 'POST', '/session/step-up', { password: ANNA.password });
  const phone = createSoftwareAuthenticator();
  const created = phone.create(await done(first, 'POST', '/me/passkeys/options', {}), DASHBOARD_URL);
  const { recovery_codes } = await done(first, 'POST', '/me/passkeys/verify', { answer: created, name: 'Phone' });
  const codes = recovery_codes as string[];
  expect(codes).toHaveLength(10);
  await awaitMail(site, ANNA.mail, 'A two-factor method was added');
  await done(first, 'DELETE', '/session');
  await refused(first, ['GET', '/me'], 'NOT_SIGNED_IN');
  const anna = openBrowser(site);
  const question = await done(anna, 'POST', '/session/passkey/options', {});
  await done(anna, 'POST', '/session/passkey/verify', { answer: phone.answer(question, DASHBOARD_URL) });

  // Two-factor, for the day on which the phone is lost.
  const { secret } = (await done(anna, 'POST', '/me/totp', {})) as { secret: string };
  const totp = totpCode(secret, systemClock.nowMs());
  await done(anna, 'POST', '/me/totp/confirm', { totp });
  await refused(anna, ['POST', '/me/totp/confirm', { totp }], 'TOTP_NOT_BEGUN');

  await done(anna, 'POST', '/me/recovery-codes/confirm', { recovery: codes[0] });

  // Her first store and first wallet, which takes effect immediately.
  const { merchant_id: store } = await done(anna, 'POST', `/accounts/${account}/stores`, {
    name: 'Acme tea',
    mode: 'live',
  });
  const place = `/accounts/${account}/stores/${String(store)}`;
  const bsc = { network: 'BSC', address: nextAddress() };
  const { address, change: none } = await done(anna, 'POST', `${place}/method-changes`, bsc);
  expect(none).toBeNull();

  // A second wallet waits a day, and both owners are notified. Olga does not recognise it, and stops it from her email.
  const eth = { network: 'ETH', address: nextAddress() };
  const { change } = await done(anna, 'POST', `${place}/method-changes`, eth);
  expect(change).toMatch(/^MCH-/);
  await awaitMail(site, ANNA.mail, 'Acme tea will receive payments at a new address');
  const told = await awaitMail(site, olga.mail, 'Acme tea will receive payments at a new address');
  await done(openBrowser(site), 'POST', '/lock', { token: tokenIn(told) });
  expect(await done(anna, 'GET', `${place}/methods`)).toMatchObject({
    methods: [{ network: 'BSC', kind: 'wallet', address }],
    changes: expect.arrayContaining([expect.objectContaining({ change, state: 'locked' })]),
  });
  await refused(anna, ['POST', `${place}/method-changes`, eth], 'METHODS_LOCKED');
  await awaitMail(site, ANNA.mail, 'Changes are locked at Acme');

  // Anna asked for the change, so she cannot lift the lock today; Olga can.
  await refused(anna, ['POST', `/accounts/${account}/unlock`, {}], 'UNLOCK_BY_REQUESTER');
  await done(olga.browser, 'POST', `/accounts/${account}/unlock`, {});

  // Ben comes as a developer: he sees the stores and makes one for tests, and nothing that moves money.
  await done(anna, 'POST', `${team}/invitations`, { mail: BEN.mail, role: 'developer' });
  const ben = await join(BEN);
  await done(ben, 'POST', '/session/step-up', { password: BEN.password });
  expect(await done(ben, 'GET', `/accounts/${account}/stores`)).toMatchObject({ stores: [{ name: 'Acme tea' }] });
  await done(ben, 'POST', `/accounts/${account}/stores`, { name: 'Try it', mode: 'test' });
  await refused(ben, ['POST', `/accounts/${account}/stores`, { name: 'Mine', mode: 'live' }], 'NO_PERMISSION');
  await refused(ben, ['POST', `${place}/method-changes`, eth], 'NO_PERMISSION');
  await refused(ben, ['DELETE', `${place}/methods/BSC/${bsc.address}`], 'NO_PERMISSION');
  await refused(ben, ['POST', `${team}/invitations`, { mail: 'friend@acme.test', role: 'owner' }], 'NO_PERMISSION');
  const { person: annaCode } = await done(anna, 'GET', '/me');
  await refused(ben, ['DELETE', `${team}/${String(annaCode)}`], 'NO_PERMISSION');

  // Anna's phone is lost: the password and the app let her in, with a code of a later step.
  const again = openBrowser(site);
  const methods = { passkey: true, totp: true, recovery: true };
  expect(await done(again, 'POST', '/session', ANNA_SIGN_IN)).toEqual({ next: 'factor', methods });
  const later = totpCode(secret, systemClock.nowMs() + STEP_MS);
  expect(await done(again, 'POST', '/session/factor', { totp: later })).toEqual({ next: 'done' });
});
