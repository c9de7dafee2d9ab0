import type { Role } from '@counterfoil/core/permission.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { requireMailAddress } from '../../src/mail/mail-address.ts';
import { disablePerson } from '../../src/people/disable-person.ts';
import { removeMember } from '../../src/people/remove-member.ts';
import { changeMethodDelay } from '../../src/wallets/change-method-delay.ts';
import { gatherMethodDelayChanged } from '../../src/wallets/gather-method-notices.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import { joinMerchant } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { enter, makePerson, signInWithApp } from '../../rig/people/make-person.ts';
import type { MethodMerchant } from '../../rig/people/method-rig.ts';
import {
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

/** A thief with an owner's session cannot get rid of the owners who could stop a payment-method change, nor of the delay. */

let site: DashboardSite;
let thief: RigPerson;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
  thief = await makePerson(site);
  await signInWithApp(thief);
  // One step-up serves all tests of this file, however slow the machine is.
  await site.database.pool.query(`update sessions set elevated_until = absolute_until`);
});
afterAll(() => site.close());

let merchant: MethodMerchant;
beforeEach(async () => {
  merchant = await openMerchant(site);
  await joinMerchant(site, thief, merchant.store.merchantAccountId, 'owner');
});

/** A member who needs no session. */
async function join(role: Role = 'owner'): Promise<RigPerson> {
  const person = await makePerson(site);
  await joinMerchant(site, person, merchant.store.merchantAccountId, role);
  return person;
}

const ask = (by: RigPerson, network = 'ETH') =>
  by.browser.send('POST', merchant.changes, { network, address: nextAddress() });
const memberPath = ({ code }: RigPerson) => `/accounts/${merchant.account}/team/${code}`;
const remove = (by: RigPerson, person: RigPerson) => by.browser.send('DELETE', memberPath(person));
const demote = (by: RigPerson, person: RigPerson) => by.browser.send('PATCH', memberPath(person), { role: 'admin' });
const follow = (token: string | undefined) => openBrowser(site).send('POST', '/lock', { token: token ?? '' });
const stateOf = async () => (await changesOf(site, merchant)).map(({ state }) => state);
const DONE = { status: 200 };
const asOperator = () => ({ merchantAccountId: merchant.store.merchantAccountId, reason: 'a call' });

async function roleOf({ code }: RigPerson): Promise<string | undefined> {
  const { rows } = await site.database.pool.query<{ role: string }>(
    `select role from memberships m join people p on p.id = m.person_id where p.code = $1 and merchant_account_id = $2`,
    [code, merchant.store.merchantAccountId],
  );
  return rows[0]?.role;
}

const announcedTo = async () =>
  new Set(
    (await mailsOf(site, merchant)).filter((one) => one.template === 'method-change-requested').map(({ to }) => to),
  );

const age = (text: string) =>
  site.database.pool.query(
    'update former_owners set ended_at = ended_at - $1::interval where merchant_account_id = $2',
    [text, merchant.store.merchantAccountId],
  );

describe('while a payment-method change is pending', () => {
  test('no owner but its requester is removed or demoted, by anyone, and the refusal says until when', async () => {
    const [owner, admin] = [await join(), await join('admin')];
    const asked = await ask(thief);
    const until = asked.body.data?.['effective_at'];
    const refused = { status: 409, body: { error_code: 'OWNER_NEEDED', details: { until } } };
    expect(until).toEqual(expect.any(Number));
    expect(await remove(thief, owner)).toMatchObject(refused);
    expect(await demote(thief, owner)).toMatchObject(refused);
    await enter(site, owner);
    expect(await remove(owner, owner)).toMatchObject(refused);
    const byOperator = removeMember(contextOf(site), TESTER, { ...asOperator(), person: owner.code });
    await expect(byOperator).rejects.toThrow(/^OWNER_NEEDED: until /);
    expect(await roleOf(owner)).toBe('owner');
    expect(await remove(thief, admin)).toMatchObject(DONE);
    expect(await stateOf()).toEqual(['pending']);
  });

  test('an owner stops it first, and then removes the requester or another owner', async () => {
    const [owner, third] = [await join(), await join()];
    await enter(site, owner);
    await ask(thief);
    const [change] = await changesOf(site, merchant);
    expect(await remove(owner, third)).toMatchObject({ status: 409 });
    const cancel = `/accounts/${merchant.account}/method-changes/${change?.code}/cancel`;
    expect(await owner.browser.send('POST', cancel, {})).toMatchObject(DONE);
    expect(await remove(owner, third)).toMatchObject(DONE);
    expect(await remove(owner, thief)).toMatchObject(DONE);
    expect([await roleOf(third), await roleOf(thief)]).toEqual([undefined, undefined]);
  });

  test('its requester is removed immediately', async () => {
    const owner = await join();
    await enter(site, owner);
    await ask(thief);
    expect(await remove(owner, thief)).toMatchObject(DONE);
    expect(await stateOf()).toEqual(['cancelled']);
    await applyDue(site, merchant);
    expect(await networksOf(site, merchant)).toEqual(['BSC']);
  });

  test('an owner who has requested another change is kept too', async () => {
    const owner = await openMember(site, merchant);
    await ask(owner);
    await ask(thief, 'POLYGON');
    expect(await remove(thief, owner)).toMatchObject({ status: 409, body: { error_code: 'OWNER_NEEDED' } });
    expect(await stateOf()).toEqual(['pending', 'pending']);
  });
});

describe('everyone who was an owner in the seven days before a request', () => {
  test.each<[string, (by: RigPerson, person: RigPerson) => ReturnType<typeof remove>]>([
    ['removed', remove],
    ['demoted', demote],
  ])('is notified and can stop it, also when %s before', async (_title, change) => {
    const victim = await join();
    expect(await change(thief, victim)).toMatchObject(DONE);
    await age('6 days 23 hours');
    await ask(thief);
    expect(await announcedTo()).toEqual(new Set([thief.mail, victim.mail]));
    expect(await follow(await lockTokenOf(site, merchant, victim))).toMatchObject(DONE);
    expect(await stateOf()).toEqual(['locked']);
  });

  test('does not include one who was removed earlier, or is disabled', async () => {
    const [early, disabled] = [await join(), await join()];
    expect(await remove(thief, early)).toMatchObject(DONE);
    await age('7 days 1 minute');
    expect(await remove(thief, disabled)).toMatchObject(DONE);
    await disablePerson(contextOf(site), TESTER, { person: disabled.code, reason: 'left' });
    await ask(thief);
    expect(await announcedTo()).toEqual(new Set([thief.mail]));
  });

  test('is notified once when they are an owner again', async () => {
    const owner = await join();
    await demote(thief, owner);
    await thief.browser.send('PATCH', memberPath(owner), { role: 'owner' });
    await ask(thief);
    const announced = (await mailsOf(site, merchant)).map(({ to }) => to);
    expect(announced.filter((to) => to === owner.mail)).toHaveLength(1);
  });

  test('is notified at an email address that was replaced in that time', async () => {
    const victim = await join();
    const replace = (days: number, from: string, to: string) =>
      site.database.pool.query(
        `with p as (update people set mail_normal = $3, mail_shown = $3 where code = $1 returning id)
         insert into address_changes (person_id, mail_normal, mail_shown, requested_at, expires_at, ended_at, done_at, replaced_shown)
         select id, $3, $3, t, t, t, t, $2 from p, (select now() - $4::integer * interval '1 day' as t) t`,
        [victim.code, from, to, days],
      );
    await replace(8, `before-${victim.mail}`, victim.mail);
    await replace(6, victim.mail, `thief-${victim.mail}`);
    await ask(thief);
    expect(await announcedTo()).toEqual(new Set([thief.mail, victim.mail, `thief-${victim.mail}`]));
    expect(await follow(await lockTokenOf(site, merchant, victim))).toMatchObject(DONE);
    expect(await stateOf()).toEqual(['locked']);
  });
});

test('a stop link that was sent keeps working after its owner is demoted and gets another email address', async () => {
  const victim = await join();
  await ask(thief);
  const token = await lockTokenOf(site, merchant, victim);
  await site.database.pool.query(`update people set mail_normal = $2, mail_shown = $2 where code = $1`, [
    victim.code,
    `new-${victim.mail}`,
  ]);
  await applyDue(site, merchant);
  expect(await demote(thief, victim)).toMatchObject(DONE);
  expect(await follow(token)).toMatchObject(DONE);
  expect(await ask(thief, 'POLYGON')).toMatchObject({ status: 409, body: { error_code: 'METHODS_LOCKED' } });
});

test('a shorter delay applies after the old one has passed, a longer one immediately, and the owners are notified', async () => {
  const { merchantAccountId } = merchant.store;
  const change = (hours: number) =>
    changeMethodDelay(contextOf(site), TESTER, { merchantAccountId, hours, reason: 'a call' });
  const shownDelay = async () => (await thief.browser.send('GET', merchant.methods)).body.data?.['delay_hours'];
  const waits = async () => {
    const { rows } = await site.database.pool.query<{ hours: number }>(
      `select round(extract(epoch from effective_at - requested_at) / 3600)::integer as hours from method_changes
       where store_id = $1 order by id desc limit 1`,
      [merchant.store.id],
    );
    return rows[0]?.hours;
  };
  const { appliesFrom } = await change(2);
  expect(await change(2)).toEqual({ appliesFrom });
  expect(await shownDelay()).toBe(24);
  await ask(thief);
  expect(await waits()).toBe(24);
  await site.database.pool.query(`update merchants set shorter_delay_at = now() - interval '1 minute' where id = $1`, [
    merchantAccountId,
  ]);
  expect(await shownDelay()).toBe(2);
  await ask(thief, 'POLYGON');
  expect(await waits()).toBe(2);
  await change(72);
  expect(await shownDelay()).toBe(72);
  await ask(thief, 'BASE');
  expect(await waits()).toBe(72);
  const told = (await mailsOf(site, merchant)).filter((one) => one.template === 'method-delay-changed');
  expect(told.map(({ to, data }) => [to, data['hours']])).toEqual([
    [thief.mail, '2'],
    [thief.mail, '72'],
  ]);
  const facts = await gatherMethodDelayChanged(
    { ...workerContext(site), dashboardUrl: site.dashboardUrl },
    told[0]?.data ?? {},
    requireMailAddress(thief.mail),
  );
  expect(facts).toEqual({ merchant: 'Test merchant', hours: 2, from: appliesFrom });
  const { rows } = await site.database.pool.query(
    `select details ->> 'before' as before, details ->> 'after' as after from audit_entries where action = 'methods.delay' and subject = $1
     order by id`,
    [`merchant:${merchantAccountId}`],
  );
  expect(rows).toEqual([
    { before: '24', after: '2' },
    { before: '2', after: '72' },
  ]);
});
