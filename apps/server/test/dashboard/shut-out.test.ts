import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { Refusal } from '../../src/lib/refusal.ts';
import { changeOperatorRole } from '../../src/people/change-operator-role.ts';
import { disablePerson } from '../../src/people/disable-person.ts';
import { enablePerson } from '../../src/people/enable-person.ts';
import { endSessions } from '../../src/people/end-sessions.ts';
import { removeMember } from '../../src/people/remove-member.ts';
import { listOpenSessions } from '../../src/people/list-open-sessions.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import { joinMerchant } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { drawResetToken, enter, makePerson } from '../../rig/people/make-person.ts';
import type { MethodMerchant } from '../../rig/people/method-rig.ts';
import { changesOf, contextOf, mailsOf, openMember, openMerchant } from '../../rig/people/method-rig.ts';
import { nextAddress, TESTER } from '../../rig/stores/open-store.ts';

/** Operators shut people out: what ends, what stays ended, and who is notified. */

let site: DashboardSite;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
});
afterAll(() => site.close());

let merchant: MethodMerchant;
let owner: RigPerson;
let member: RigPerson;
beforeEach(async () => {
  merchant = await openMerchant(site);
  owner = await makePerson(site);
  await joinMerchant(site, owner, merchant.store.merchantAccountId, 'owner');
  await enter(site, owner);
  member = await openMember(site, merchant, 'admin');
});

const reason = 'the session was stolen';
const ask = (by: RigPerson) => by.browser.send('POST', merchant.changes, { network: 'ETH', address: nextAddress() });
const isSignedIn = async ({ browser }: RigPerson) => (await browser.send('GET', '/me')).status === 200;
const disable = (person: string) => disablePerson(contextOf(site), TESTER, { person, reason });
const enable = (person: string) => enablePerson(contextOf(site), TESTER, { person, reason });

const remove = (person: string) =>
  removeMember(contextOf(site), TESTER, { merchantAccountId: merchant.store.merchantAccountId, person, reason });

const sessionsOf = ({ code }: RigPerson) => listOpenSessions(contextOf(site), TESTER, { person: code });
const endSession = (person: string, session?: string) =>
  endSessions(contextOf(site), TESTER, { person, session, reason });

async function auditOf(
  subject: string,
): Promise<{ actor: string; action: string; details: Record<string, unknown> }[]> {
  const { rows } = await site.database.pool.query<{ actor: string; action: string; details: Record<string, unknown> }>(
    'select actor, action, details from audit_entries where subject = $1 order by id',
    [subject],
  );
  return rows;
}

const toldTo = async (template: string) =>
  (await mailsOf(site, merchant)).filter((one) => one.template === template).map(({ to }) => to);

describe('a person who is disabled', () => {
  test('is signed out everywhere, cannot sign in, and loses what was under way', async () => {
    await ask(member);
    const resetToken = await drawResetToken(site, member.code);
    const invited = await member.browser.send('POST', `/accounts/${merchant.account}/team/invitations`, {
      mail: `friend-${member.code.toLowerCase()}@acme.test`,
      role: 'admin',
    });
    expect(invited).toMatchObject({ status: 200 });
    const { invitation, link } = invited.body.data as { invitation: string; link: string };
    const [change] = await changesOf(site, merchant);

    expect(await disable(member.mail.toUpperCase())).toEqual({
      person: member.code,
      isNew: true,
      sessions: 1,
      links: 1,
      invitations: [invitation],
      changes: [change?.code],
    });
    expect(await isSignedIn(member)).toBe(false);
    const { mail, password } = member;
    expect(await openBrowser(site).send('POST', '/session', { mail, password })).toMatchObject({
      status: 401,
      body: { error_code: 'SIGN_IN_REFUSED' },
    });
    expect(await changesOf(site, merchant)).toMatchObject([{ state: 'cancelled' }]);
    expect(await toldTo('method-change-cancelled')).toEqual([owner.mail]);

    expect(await enable(member.code)).toEqual({ person: member.code, isNew: true });
    expect(await isSignedIn(member)).toBe(false);
    const reset = { token: resetToken, password: 'a long word of a thief' };
    expect(await openBrowser(site).send('POST', '/reset', reset)).toMatchObject({
      body: { error_code: 'LINK_INVALID' },
    });
    const opened = await openBrowser(site).send('POST', '/invitations/open', { token: link.split('#').at(-1) });
    expect(opened).not.toMatchObject({ status: 200 });
    expect(await openBrowser(site).send('POST', '/session', { mail, password })).toMatchObject({ status: 200 });
  });

  test('keeps the audit of what ended, and a second call changes nothing', async () => {
    await ask(member);
    const [change] = await changesOf(site, merchant);
    await disable(member.code);
    expect(await disable(member.code)).toEqual({
      person: member.code,
      isNew: false,
      sessions: 0,
      links: 0,
      invitations: [],
      changes: [],
    });
    await enable(member.code);
    expect(await enable(member.code)).toEqual({ person: member.code, isNew: false });
    expect((await auditOf(`person:${member.code}`)).slice(1)).toEqual([
      {
        actor: 'cli:test',
        action: 'person.disable',
        details: { reason, sessions: 1, links: 0, invitations: [], changes: [change?.code] },
      },
      { actor: 'cli:test', action: 'person.enable', details: { reason } },
    ]);
    expect((await auditOf(`store:${merchant.store.id}`)).at(-1)).toMatchObject({
      action: 'method.cancel',
      details: { change: change?.code, because: 'requester-disabled' },
    });
  });

  test('leaves another member and their pending change as they are', async () => {
    await ask(member);
    await disable(owner.code);
    expect(await isSignedIn(member)).toBe(true);
    expect(await changesOf(site, merchant)).toMatchObject([{ state: 'pending' }]);
  });

  test('must be known', async () => {
    await expect(disable('nobody@acme.test')).rejects.toThrow(
      new Refusal('PERSON_UNKNOWN', { person: 'nobody@acme.test' }),
    );
  });
});

describe('a member whom an operator removes', () => {
  test('is notified, as are the owners, and their pending change ends', async () => {
    await ask(member);
    await remove(member.mail);
    expect(await member.browser.send('GET', merchant.methods)).toMatchObject({ status: 404 });
    expect(await changesOf(site, merchant)).toMatchObject([{ state: 'cancelled' }]);
    expect(await toldTo('method-change-cancelled')).toEqual([owner.mail]);
    const { rows } = await site.database.pool.query<{ template: string; to: string; by: string }>(
      `select template, to_address as to, data ->> 'by' as by from mails
       where data ->> 'merchant' = $1 and (template = 'membership-ended' or data ->> 'role' = 'none') order by id`,
      [String(merchant.store.merchantAccountId)],
    );
    expect(rows).toEqual([
      { template: 'team-changed', to: owner.mail, by: 'operator' },
      { template: 'membership-ended', to: member.mail, by: 'operator' },
    ]);
    expect((await auditOf(`merchant:${merchant.store.merchantAccountId}`)).at(-1)).toEqual({
      actor: 'cli:test',
      action: 'member.remove',
      details: { person: member.code, before: 'admin', after: null, reason },
    });
    await expect(remove(member.code)).rejects.toThrow(new Refusal('MEMBER_UNKNOWN'));
  });

  test('is not the last owner', async () => {
    await expect(remove(owner.code)).rejects.toThrow(new Refusal('LAST_OWNER'));
    const second = await makePerson(site);
    await joinMerchant(site, second, merchant.store.merchantAccountId, 'owner');
    await remove(owner.code);
    await expect(remove(second.code)).rejects.toThrow(new Refusal('LAST_OWNER'));
  });
});

test('a member who removes a requester ends the change that they requested', async () => {
  await ask(member);
  const path = `/accounts/${merchant.account}/team/${member.code}`;
  expect(await owner.browser.send('DELETE', path)).toMatchObject({ status: 200 });
  expect(await changesOf(site, merchant)).toMatchObject([{ state: 'cancelled' }]);
  expect((await auditOf(`store:${merchant.store.id}`)).at(-1)).toMatchObject({
    actor: `person:${owner.code}`,
    action: 'method.cancel',
    details: { because: 'requester-removed' },
  });
});

test('an owner who demotes a requester ends the change that they requested', async () => {
  const second = await openMember(site, merchant);
  await ask(second);
  const path = `/accounts/${merchant.account}/team/${second.code}`;
  expect(await owner.browser.send('PATCH', path, { role: 'admin' })).toMatchObject({ status: 200 });
  expect(await changesOf(site, merchant)).toMatchObject([{ state: 'cancelled' }]);
  expect((await auditOf(`store:${merchant.store.id}`)).at(-1)).toMatchObject({
    details: { because: 'requester-demoted' },
  });
});

describe('sessions that an operator ends', () => {
  test('are one or all, and the person can sign in again', async () => {
    const [kept] = await sessionsOf(member);
    const stolen = { ...member, browser: openBrowser(site) };
    await enter(site, stolen);
    const added = (await sessionsOf(member)).find(({ code }) => code !== kept?.code);
    expect(added).toMatchObject({ proof: 'password', half: false, address: stolen.browser.address, agent: 'rig' });
    expect(await endSession(member.mail, added?.code)).toEqual({ person: member.code, ended: 1 });
    expect([await isSignedIn(stolen), await isSignedIn(member)]).toEqual([false, true]);
    await expect(endSession(member.mail, added?.code)).rejects.toThrow(new Refusal('SESSION_UNKNOWN'));
    await expect(endSession(owner.mail, kept?.code)).rejects.toThrow(new Refusal('SESSION_UNKNOWN'));
    expect(await endSession(member.code)).toEqual({ person: member.code, ended: 1 });
    expect(await endSession(member.code)).toEqual({ person: member.code, ended: 0 });
    expect(await isSignedIn(member)).toBe(false);
    expect((await auditOf(`person:${member.code}`)).slice(1)).toMatchObject([
      { actor: 'cli:test', action: 'session.end', details: { reason, ended: 1, session: added?.code } },
      { actor: 'cli:test', action: 'session.end', details: { reason, ended: 1 } },
    ]);
    await enter(site, member);
    expect(await isSignedIn(member)).toBe(true);
  });
});

test.each<[string, (person: string) => Promise<unknown>]>([
  ['an operator ends all sessions of a person', (person) => endSession(person)],
  ['an operator disables a person', disable],
  [
    'an operator role changes',
    (person) => changeOperatorRole(contextOf(site), TESTER, { person, role: 'support', reason }),
  ],
])('no browser stays known when %s', async (_title, shutOut) => {
  const countKnown = async () => {
    const { rowCount } = await site.database.pool.query(
      'select from devices where person_id = (select id from people where code = $1)',
      [member.code],
    );
    return rowCount;
  };
  const [session] = await sessionsOf(member);
  expect(await countKnown()).toBe(1);
  await enter(site, member);
  await endSession(member.code, session?.code);
  expect(await countKnown()).toBe(1);
  await shutOut(member.code);
  expect(await countKnown()).toBe(0);
});

/** The emails about a person's own access, the oldest first. */
async function accessMailsTo({ mail }: RigPerson): Promise<{ template: string; role: string | null }[]> {
  const { rows } = await site.database.pool.query<{ template: string; role: string | null }>(
    `select template, data ->> 'role' as role from mails
     where to_address = $1 and template in ('account-disabled', 'account-enabled', 'staff-role-changed') order by id`,
    [mail],
  );
  return rows;
}

test('a person who is disabled and enabled again is notified of both, once', async () => {
  for (const change of [disable, disable, enable, enable]) await change(member.code);
  expect(await accessMailsTo(member)).toEqual([
    { template: 'account-disabled', role: null },
    { template: 'account-enabled', role: null },
  ]);
});

test('a person whose operator role changes is notified of each new role, and not of the one that they have', async () => {
  const staff = await makePerson(site, 'support');
  for (const role of ['support', 'operator', null] as const)
    await changeOperatorRole(contextOf(site), TESTER, { person: staff.code, role, reason });
  expect(await accessMailsTo(staff)).toEqual([
    { template: 'staff-role-changed', role: 'operator' },
    { template: 'staff-role-changed', role: 'none' },
  ]);
});

test('a person whose operator role is taken away is signed out, and sees no merchant afterwards', async () => {
  const staff = await makePerson(site, 'support');
  await enter(site, staff);
  const list = () => staff.browser.send('GET', '/operator/views');
  const change = (role: 'operator' | null) =>
    changeOperatorRole(contextOf(site), TESTER, { person: staff.mail, role, reason });
  expect(await list()).toMatchObject({ status: 200 });
  expect(await change(null)).toEqual({ person: staff.code, before: 'support', sessions: 1 });
  expect(await change(null)).toEqual({ person: staff.code, before: null, sessions: 0 });
  expect(await isSignedIn(staff)).toBe(false);
  await enter(site, staff);
  expect(await list()).toMatchObject({ status: 404 });
  await change('operator');
  await enter(site, staff);
  expect(await list()).toMatchObject({ status: 200 });
  expect((await auditOf(`person:${staff.code}`)).slice(1)).toMatchObject([
    { action: 'person.role', details: { before: 'support', after: null, sessions: 1 } },
    { action: 'person.role', details: { before: null, after: 'operator', sessions: 1 } },
  ]);
});
