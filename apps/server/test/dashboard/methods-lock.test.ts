import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { requireMailAddress } from '../../src/mail/mail-address.ts';
import { Refusal } from '../../src/lib/refusal.ts';
import { issueApiKey } from '../../src/stores/issue-api-key.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { gatherMethodsLocked, gatherMethodsUnlocked } from '../../src/wallets/gather-method-notices.ts';
import { lockMethodsForOperator } from '../../src/wallets/lock-methods.ts';
import { unlockMethodsForOperator } from '../../src/wallets/unlock-methods.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import type { MethodMerchant } from '../../rig/people/method-rig.ts';
import {
  addressOf,
  applyDue,
  changesOf,
  contextOf,
  lockTokenOf,
  mailsOf,
  networksOf,
  openMember,
  openMerchant,
  workerContext,
} from '../../rig/people/method-rig.ts';
import { nextAddress, TESTER } from '../../rig/stores/open-store.ts';

/** The lock of a merchant's payment methods: everybody may lock, few may unlock, and what it stopped stays stopped. */

let site: DashboardSite;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
});
afterAll(() => site.close());

let merchant: MethodMerchant;
let owner: RigPerson;
beforeEach(async () => {
  merchant = await openMerchant(site);
  owner = await openMember(site, merchant);
});

const ask = (by: RigPerson, network = 'ETH') =>
  by.browser.send('POST', merchant.changes, { network, address: nextAddress() });
const lock = (by: RigPerson) => by.browser.send('POST', `/accounts/${merchant.account}/lock`, {});
const unlock = (by: RigPerson) => by.browser.send('POST', `/accounts/${merchant.account}/unlock`, {});
const follow = (token: string | undefined, browser = openBrowser(site)) =>
  browser.send('POST', '/lock', { token: token ?? '' });
const LOCKED = { status: 409, body: { error_code: 'METHODS_LOCKED' } };

async function lockedBy(): Promise<string | null> {
  const { rows } = await site.database.pool.query<{ by: string | null }>(
    'select methods_locked_by as by from merchants where id = $1',
    [merchant.store.merchantAccountId],
  );
  return rows[0]?.by ?? null;
}

describe('a lock', () => {
  test('stops what waits, for ever, and is told to the owners', async () => {
    const second = await openMember(site, merchant);
    await ask(owner);
    const viewer = await openMember(site, merchant, 'viewer');
    expect(await lock(viewer)).toMatchObject({ status: 200, body: { data: { locked: true, new: true } } });
    expect(await changesOf(site, merchant)).toMatchObject([{ state: 'locked' }]);
    await applyDue(site, merchant);
    expect(await unlock(second)).toMatchObject({ status: 200 });
    await applyDue(site, merchant);
    expect(await changesOf(site, merchant)).toMatchObject([{ state: 'locked' }]);
    expect(await networksOf(site, merchant)).toEqual(['BSC']);
    const mails = await mailsOf(site, merchant);
    const told = (template: string) => mails.filter((one) => one.template === template);
    expect(told('methods-locked').map(({ to }) => to)).toEqual([owner.mail, second.mail]);
    const context = { ...workerContext(site), dashboardUrl: site.dashboardUrl };
    const { rows } = await site.database.pool.query<{ name: string }>('select name from people where code = any($1)', [
      [viewer.code],
    ]);
    const reader = requireMailAddress(owner.mail);
    expect(await gatherMethodsLocked(context, told('methods-locked')[0]?.data ?? {}, reader)).toMatchObject({
      merchant: 'Test merchant',
      lockedBy: rows[0]?.name,
    });
    expect(await gatherMethodsUnlocked(context, told('methods-unlocked')[0]?.data ?? {}, reader)).toMatchObject({
      merchant: 'Test merchant',
    });
  });

  test('refuses every addition, by whomever, and new API keys; a removal stays possible', async () => {
    await lock(owner);
    expect(await lock(owner)).toMatchObject({ status: 200, body: { data: { locked: true, new: false } } });
    expect(await ask(owner)).toMatchObject(LOCKED);
    const { ref, ring } = merchant.store;
    const wallet = { store: ref, network: 'ETH', address: nextAddress() };
    const locked = new Refusal('METHODS_LOCKED');
    await expect(addWallet(contextOf(site), TESTER, wallet)).rejects.toThrow(locked);
    await expect(addWallet(contextOf(site), TESTER, { ...wallet, now: { reason: 'haste' } })).rejects.toThrow(locked);
    const issuing = issueApiKey({ database: site.as('admin'), clock: systemClock, ring, jobs: undefined }, TESTER, {
      store: ref,
      overlapHours: 0,
    });
    await expect(issuing).rejects.toThrow(locked);
    const { body } = await owner.browser.send('GET', merchant.methods);
    expect(body.data).toMatchObject({ locked_by: owner.code });
    const address = await addressOf(site, merchant);
    expect(await owner.browser.send('DELETE', `${merchant.methods}/BSC/${address}`)).toMatchObject({ status: 200 });
  });

  test('of one merchant leaves another as it is', async () => {
    const other = await openMerchant(site);
    const another = await openMember(site, other);
    await another.browser.send('POST', other.changes, { network: 'ETH', address: nextAddress() });
    await lock(owner);
    expect(await changesOf(site, other)).toMatchObject([{ state: 'pending' }]);
    expect(await lock(another)).toMatchObject({ status: 404 });
  });

  test('by an operator is lifted by an operator, with a reason', async () => {
    const { merchantAccountId } = merchant.store;
    await lockMethodsForOperator(contextOf(site), TESTER, { merchantAccountId, reason: 'the owner called' });
    expect(await lockedBy()).toBe('cli:test');
    await unlockMethodsForOperator(contextOf(site), TESTER, { merchantAccountId, reason: 'cleared' });
    expect(await lockedBy()).toBeNull();
    const again = unlockMethodsForOperator(contextOf(site), TESTER, { merchantAccountId, reason: 'cleared' });
    await expect(again).rejects.toThrow(new Refusal('METHODS_NOT_LOCKED'));
  });
});

describe('unlocking', () => {
  test('needs an owner who has just proven again who they are', async () => {
    await lock(owner);
    const admin = await openMember(site, merchant, 'admin');
    expect(await unlock(admin)).toMatchObject({ status: 403, body: { error_code: 'NO_PERMISSION' } });
    await site.database.pool.query('update sessions set elevated_until = null');
    expect(await unlock(owner)).toMatchObject({ status: 403, body: { error_code: 'STEP_UP_NEEDED' } });
    expect(await lockedBy()).toBe(`person:${owner.code}`);
  });

  test('is refused within a day of the lock to whoever asked for what it stopped', async () => {
    await ask(owner);
    const second = await openMember(site, merchant);
    await lock(second);
    expect(await unlock(owner)).toMatchObject({ status: 403, body: { error_code: 'UNLOCK_BY_REQUESTER' } });
    expect(await lockedBy()).not.toBeNull();
    await site.database.pool.query(
      `update method_changes set decided_at = decided_at - interval '24 hours 1 second' where store_id = $1`,
      [merchant.store.id],
    );
    expect(await unlock(owner)).toMatchObject({ status: 200 });
    expect(await unlock(owner)).toMatchObject({ status: 409, body: { error_code: 'METHODS_NOT_LOCKED' } });
    expect(await ask(owner)).toMatchObject({ status: 200 });
  });
});

describe('the link in the mail', () => {
  test('locks without a sign-in, once', async () => {
    const thief = await openMember(site, merchant, 'admin');
    await ask(thief);
    const token = await lockTokenOf(site, merchant, owner);
    expect(await follow(token)).toMatchObject({ status: 200, body: { data: { locked: true, new: true } } });
    expect(await changesOf(site, merchant)).toMatchObject([{ state: 'locked' }]);
    expect(await lockedBy()).toBe(`person:${owner.code}`);
    expect(await follow(token)).toMatchObject({ status: 400, body: { error_code: 'LINK_INVALID' } });
    await unlock(owner);
    expect(await follow(token)).toMatchObject({ status: 400 });
    expect(await lockedBy()).toBeNull();
  });

  test('still locks after the change took effect, and after the password was changed', async () => {
    await ask(owner);
    const token = await lockTokenOf(site, merchant, owner);
    await applyDue(site, merchant);
    const changed = await owner.browser.send('POST', '/me/password', { password: 'a long word of a thief' });
    expect(changed).toMatchObject({ status: 200 });
    expect(await follow(token)).toMatchObject({ status: 200 });
    expect(await lockedBy()).toBe(`person:${owner.code}`);
    expect(await networksOf(site, merchant)).toEqual(['BSC', 'ETH']);
  });

  test('still locks after whoever asked has removed the owner who was told', async () => {
    const victim = await openMember(site, merchant);
    await ask(owner);
    const token = await lockTokenOf(site, merchant, victim);
    const remove = () => owner.browser.send('DELETE', `/accounts/${merchant.account}/team/${victim.code}`);
    expect(await remove()).toMatchObject({ status: 409, body: { error_code: 'OWNER_NEEDED' } });
    await applyDue(site, merchant);
    expect(await remove()).toMatchObject({ status: 200 });
    expect(await follow(token)).toMatchObject({ status: 200 });
    expect(await lockedBy()).toBe(`person:${victim.code}`);
  });

  test.each<[string, string]>([
    ['is two weeks old', `update link_tokens set expires_at = now() where purpose = 'lock-methods'`],
    ['was made for something else', `update link_tokens set purpose = 'set-password' where purpose = 'lock-methods'`],
  ])('that %s does nothing', async (_title, happen) => {
    await ask(owner);
    const token = await lockTokenOf(site, merchant, owner);
    await site.database.pool.query(happen);
    expect(await follow(token)).toMatchObject({ status: 400, body: { error_code: 'LINK_INVALID' } });
    expect(await lockedBy()).toBeNull();
  });

  test('keeps no token in the database', async () => {
    await ask(owner);
    const token = await lockTokenOf(site, merchant, owner);
    const { rows } = await site.database.pool.query<{ text: string }>(
      `select l::text as text from link_tokens l union all select m::text from mails m`,
    );
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(rows.some(({ text }) => text.includes(token ?? ''))).toBe(false);
  });
});
