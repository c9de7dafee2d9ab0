import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import { signInWithApp } from '../../rig/people/make-person.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';

/** How many emails one member's actions can send. No worker runs: what is queued is counted. */

let site: DashboardSite;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
  await site.database.pool.query('insert into mail_setup (confirmed_at) values (now())');
});
afterAll(() => site.close());

const PER_PERSON = 10;

async function mailsOf(
  template: string,
  { merchantAccountId }: RigMember,
): Promise<{ merged: number; isLater: boolean }[]> {
  const { rows } = await site.database.pool.query<{ merged: number; isLater: boolean }>(
    `select m.merged, j.start_after > now() + interval '30 minutes' as "isLater"
     from mails m join pgboss.job j on j.data ->> 'mailId' = m.id::text
     where m.template = $1 and m.data ->> 'merchant' = $2 order by m.id`,
    [template, String(merchantAccountId)],
  );
  return rows;
}

/** A merchant with a store and one owner. */
async function openMerchant(): Promise<{ owner: RigMember; path: string }> {
  const { merchantAccountId, merchantId } = await openStore(site.database, { ring: await openKeyRing(site.path) });
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    merchantAccountId,
  ]);
  const account = rows[0]?.code ?? '';
  const owner = await makeMember(site, 'owner', { account, merchantAccountId });
  return { owner, path: `/accounts/${account}/stores/${merchantId}` };
}

async function toggle(owner: RigMember, member: RigMember, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const role = time % 2 === 0 ? 'finance' : 'viewer';
    const path = `/accounts/${owner.account}/team/${member.person.code}`;
    expect(await owner.person.browser.send('PATCH', path, { role })).toMatchObject({ status: 200 });
  }
}

test('the first changes of a team are told one by one, and later ones of the hour together', async () => {
  const owner = await makeMember(site, 'owner');
  await makeMember(site, 'owner', owner);
  const member = await makeMember(site, 'viewer', owner);
  await toggle(owner, member, 30);
  const told = await mailsOf('team-changed', owner);
  expect(told).toHaveLength(2 * PER_PERSON + 2);
  expect(told.filter(({ isLater }) => isLater)).toEqual([
    { merged: 19, isLater: true },
    { merged: 19, isLater: true },
  ]);
  const changed = await mailsOf('role-changed', owner);
  expect(changed).toHaveLength(PER_PERSON + 1);
  expect(changed.at(-1)).toEqual({ merged: 19, isLater: true });
  // The budget is one of an hour.
  await site.database.pool.query(`update attempt_budgets set started_at = started_at - interval '61 minutes'`);
  await toggle(owner, member, 1);
  expect((await mailsOf('role-changed', owner)).at(-1)).toEqual({ merged: 0, isLater: false });
});

test('the first changes of stores are told one by one, and later ones of the hour together', async () => {
  const { owner, path } = await openMerchant();
  const admin = await makeMember(site, 'admin', owner);
  for (let time = 0; time < 30; time += 1)
    expect(await admin.person.browser.send('POST', `${path}/activity`, { active: time % 2 === 1 })).toMatchObject({
      status: 200,
    });
  const told = await mailsOf('store-switched', owner);
  expect(told).toHaveLength(PER_PERSON + 1);
  expect(told.at(-1)).toEqual({ merged: 19, isLater: true });
  expect(await admin.person.browser.send('POST', `${path}/key`, { overlap_hours: 24 })).toMatchObject({ status: 200 });
  expect(await mailsOf('api-key-changed', owner)).toEqual([{ merged: 0, isLater: false }]);
});

test('a new support contact is told in an email of its own after any number of other changes, ten times an hour', async () => {
  const { owner, path } = await openMerchant();
  const admin = await makeMember(site, 'admin', owner);
  const none = { display_name: null, accent: null, support_url: null, support_email: null };
  const put = (change: object) => admin.person.browser.send('PUT', `${path}/brand`, { ...none, ...change });
  for (let time = 0; time < PER_PERSON + 2; time += 1)
    expect(await put({ accent: `#0000${10 + time}` })).toMatchObject({ status: 200 });
  const merged = { merged: 1, isLater: true };
  expect((await mailsOf('brand-changed', owner)).at(-1)).toEqual(merged);
  for (let time = 0; time < PER_PERSON; time += 1)
    expect(await put({ support_email: `help-${time}@shop.example` })).toMatchObject({ status: 200 });
  const told = await mailsOf('brand-changed', owner);
  expect(told.slice(-PER_PERSON - 1)).toEqual([
    merged,
    ...Array.from({ length: PER_PERSON }, () => ({ merged: 0, isLater: false })),
  ]);
  const refused = { status: 429, body: { error_code: 'TOO_MANY_ATTEMPTS' } };
  expect(await put({ support_email: 'help@shop.example' })).toMatchObject(refused);
  expect(await put({ accent: '#000040', support_email: 'help-9@shop.example' })).toMatchObject({ status: 200 });
});

test('an owner asks for ten resets of two-factor methods an hour, however often each is stopped', async () => {
  const { owner } = await openMerchant();
  const member = await makeMember(site, 'viewer', owner);
  await signInWithApp(member.person);
  const path = `/accounts/${owner.account}/team/${member.person.code}/reset-factors`;
  const ask = () => owner.person.browser.send('POST', path, { reason: 'The phone is gone' });
  for (let time = 0; time < PER_PERSON; time += 1) {
    expect(await ask()).toMatchObject({ status: 200 });
    await site.database.pool.query('update factor_resets set stopped_at = now() where stopped_at is null');
  }
  expect(await ask()).toMatchObject({ status: 429, body: { error_code: 'TOO_MANY_ATTEMPTS' } });
});

test('an owner unlocks ten times an hour, and locking is never refused', async () => {
  const { owner } = await openMerchant();
  const send = (what: 'lock' | 'unlock') => owner.person.browser.send('POST', `/accounts/${owner.account}/${what}`, {});
  for (let time = 0; time < PER_PERSON; time += 1)
    for (const what of ['lock', 'unlock'] as const) expect(await send(what)).toMatchObject({ status: 200 });
  expect(await send('lock')).toMatchObject({ status: 200 });
  expect(await send('unlock')).toMatchObject({ status: 429, body: { error_code: 'TOO_MANY_ATTEMPTS' } });
});

test('a member invites twenty people an hour by email, and the inviter sees the refusal', async () => {
  const owner = await makeMember(site, 'owner');
  const admin = await makeMember(site, 'admin', owner);
  const path = `/accounts/${owner.account}/team/invitations`;
  const invite = ({ person }: RigMember, name: string) =>
    person.browser.send('POST', path, { mail: `${name}-${owner.merchantAccountId}@strangers.test`, role: 'viewer' });
  for (let number = 0; number < 20; number += 1)
    expect(await invite(owner, `first${number}`)).toMatchObject({ status: 200 });
  const refused = await invite(owner, 'too-many');
  expect(refused).toMatchObject({ status: 429, body: { error_code: 'INVITATIONS_TOO_FAST' } });
  expect(refused.headers.get('retry-after')).toBe('3600');
  expect(await invite(admin, 'of-another')).toMatchObject({ status: 200 });
});

test('the members of a merchant invite forty people an hour together', async () => {
  const owner = await makeMember(site, 'owner');
  await site.database.pool.query(
    `insert into attempt_budgets (subject, started_at, used) values ('invite-of:' || $1::bigint, now(), 40)`,
    [owner.merchantAccountId],
  );
  const body = { mail: `last-${owner.merchantAccountId}@strangers.test`, role: 'viewer' };
  expect(await owner.person.browser.send('POST', `/accounts/${owner.account}/team/invitations`, body)).toMatchObject({
    status: 429,
    body: { error_code: 'INVITATIONS_TOO_FAST' },
  });
});
