import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { giveApp, makePerson, nextCode, signInByPassword } from '../../rig/people/make-person.ts';
import { applyDue, changesOf, contextOf, networksOf, openMember, openMerchant } from '../../rig/people/method-rig.ts';
import { nextAddress, TESTER } from '../../rig/stores/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { beginRestore } from '../../src/restores/begin-restore.ts';

/** What members find after a restore: anything that the lost time ended may be there again. */

let site: DashboardSite;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
});
afterAll(() => site.close());
beforeEach(() =>
  site.database.pool.query(
    `update database_confirmation set valid_until = 'infinity', reserved_until = '-infinity', stopped_until = '-infinity'`,
  ),
);

const begin = () => beginRestore(contextOf(site), TESTER, { lostSince: new Date(systemClock.nowMs() - 60_000) });
const signIn = async ({ mail, password }: RigPerson, factor: { totp: string } | { recovery: string }) => {
  const browser = openBrowser(site);
  expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({ status: 200 });
  return browser.send('POST', '/session/factor', factor);
};

test('sessions have ended, and a recovery code works only after a sign-in with the authenticator app', async () => {
  const person = await makePerson(site);
  await signInByPassword(person);
  await giveApp(person);
  const [code = ''] = person.recoveryCodes ?? [];
  const { sessions, recoveryCodes } = await begin();
  expect(sessions).toBeGreaterThan(0);
  expect(recoveryCodes).toBe(10);
  expect(await person.browser.send('GET', '/me')).toMatchObject({ status: 401 });
  expect(await signIn(person, { recovery: code })).toMatchObject({ body: { error_code: 'FACTOR_WRONG' } });
  expect(await signIn(person, { totp: nextCode(person, 1) })).toMatchObject({ status: 200 });
  expect(await signIn(person, { recovery: code })).toMatchObject({ status: 200 });
});

test('a change that is pending again is stopped, and none is applied before a worker has confirmed the database', async () => {
  const merchant = await openMerchant(site);
  const owner = await openMember(site, merchant);
  const asked = await owner.browser.send('POST', merchant.changes, { network: 'ETH', address: nextAddress() });
  expect(asked).toMatchObject({ status: 200 });
  await site.database.pool.query(`update database_confirmation set valid_until = '-infinity'`);
  await applyDue(site, merchant);
  expect(await changesOf(site, merchant)).toMatchObject([{ state: 'pending' }]);
  expect((await begin()).lockedMerchants).toBe(1);
  await site.database.pool.query(`update database_confirmation set valid_until = 'infinity'`);
  await applyDue(site, merchant);
  expect(await changesOf(site, merchant)).toMatchObject([{ state: 'locked' }]);
  expect(await networksOf(site, merchant)).toEqual(['BSC']);
});
