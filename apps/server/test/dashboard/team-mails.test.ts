import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';

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
