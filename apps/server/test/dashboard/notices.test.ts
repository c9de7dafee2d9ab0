import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { addMember } from '../../src/people/add-member.ts';
import { openBrowser } from '../../rig/people/dashboard-site.ts';
import type { MailedSite } from '../../rig/people/mailed-site.ts';
import { awaitMail, awaitQuiet, mailsTo, openMailedSite, tokenIn } from '../../rig/people/mailed-site.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { giveApp, givePasskey, makePerson, signInByPassword } from '../../rig/people/make-person.ts';
import { TESTER } from '../../rig/stores/open-store.ts';

let site: MailedSite;
beforeAll(async () => {
  site = await openMailedSite(inject('template'));
});
afterAll(() => site.close());

const ADDED = 'A two-factor method was added';
const REMOVED = 'A two-factor method was removed';

async function withApp(): Promise<RigPerson> {
  const person = await makePerson(site);
  await signInByPassword(person);
  await giveApp(person);
  return person;
}

/** Waits until no email is queued, and returns the subjects of all emails to an address. */
async function subjects(mail: string): Promise<string[]> {
  await awaitQuiet(site);
  return mailsTo(site, mail).map(({ subject }) => subject);
}

describe('a person is told by mail', () => {
  test('of an authenticator app that was added and removed', async () => {
    const person = await withApp();
    expect((await awaitMail(site, person.mail, ADDED)).text).toContain('authenticator app');
    expect(await person.browser.send('DELETE', '/me/totp')).toMatchObject({ status: 200 });
    expect((await awaitMail(site, person.mail, REMOVED)).text).toContain('authenticator app');
  });

  test('of a passkey that was added and removed', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    await person.browser.send('POST', '/session/step-up', { password: person.password });
    await givePasskey(person);
    expect((await awaitMail(site, person.mail, ADDED)).text).toContain('passkey');
    const listed = await person.browser.send('GET', '/me/passkeys');
    const passkeys = listed.body.data?.['passkeys'] as { passkey: string }[] | undefined;
    expect(await person.browser.send('DELETE', `/me/passkeys/${passkeys?.[0]?.passkey}`)).toMatchObject({
      status: 200,
    });
    expect((await awaitMail(site, person.mail, REMOVED)).text).toContain('passkey');
  });

  test('of new recovery codes, and of one that was used, with how many are left', async () => {
    const person = await withApp();
    const renewed = await person.browser.send('POST', '/me/recovery-codes', {});
    const codes = renewed.body.data?.['recovery_codes'] as string[];
    await awaitQuiet(site);
    expect(mailsTo(site, person.mail).map(({ text }) => text)).toContainEqual(
      expect.stringContaining('Two-factor method: new recovery codes'),
    );
    const browser = openBrowser(site);
    await browser.send('POST', '/session', { mail: person.mail, password: person.password });
    expect(await browser.send('POST', '/session/factor', { recovery: codes[0] })).toMatchObject({ status: 200 });
    const told = await awaitMail(site, person.mail, 'A recovery code was used');
    expect(told.text).toContain('Codes left: 9');
    expect(codes.some((code) => told.source.includes(code))).toBe(false);
  });

  test('of a new role, by whom it was changed', async () => {
    const owner = await makeMember(site, 'owner');
    const { person } = await makeMember(site, 'viewer', owner);
    const path = `/accounts/${owner.account}/team/${person.code}`;
    expect(await owner.person.browser.send('PATCH', path, { role: 'finance' })).toMatchObject({ status: 200 });
    const told = await awaitMail(site, person.mail, 'Your role at Acme has changed');
    expect(told.text).toContain('finance');
    expect(told.text).toMatch(/Changed by: Person \d+/);
  });
});

test('nobody is told of a role that they do not have any more when the mail is sent', async () => {
  const owner = await makeMember(site, 'owner');
  const { person } = await makeMember(site, 'viewer', owner);
  site.receiver.setMood('greylist');
  const path = `/accounts/${owner.account}/team/${person.code}`;
  await owner.person.browser.send('PATCH', path, { role: 'finance' });
  const attempts = async () => {
    const { rows } = await site.database.pool.query<{ attempts: number }>(
      `select attempts from mails where template = 'role-changed' and to_address = $1`,
      [person.mail],
    );
    return rows[0]?.attempts;
  };
  await expect.poll(attempts).toBe(1);
  await owner.person.browser.send('DELETE', path);
  site.receiver.setMood('take');
  await site.database.pool.query(`update pgboss.job set start_after = now() where state in ('created', 'retry')`);
  await awaitQuiet(site);
  expect(mailsTo(site, person.mail).map(({ subject }) => subject)).not.toContain('Your role at Acme has changed');
});

test('a member whom somebody else removed is told so by mail, and one who leaves is not', async () => {
  const owner = await makeMember(site, 'owner');
  const removed = await makeMember(site, 'viewer', owner);
  const leaving = await makeMember(site, 'viewer', owner);
  const team = `/accounts/${owner.account}/team`;
  await owner.person.browser.send('DELETE', `${team}/${removed.person.code}`);
  await leaving.person.browser.send('DELETE', `${team}/${leaving.person.code}`);
  const told = await awaitMail(site, removed.person.mail, 'You are no longer a member of Acme');
  expect(told.text).toMatch(/Ended by: Person \d+/);
  expect(await subjects(leaving.person.mail)).toEqual([]);
});

describe('the other owners of a merchant are told by mail', () => {
  test('who has a new role and who left, and by whom; the person themselves is not told twice', async () => {
    const owner = await makeMember(site, 'owner');
    const second = await makeMember(site, 'owner', owner);
    const { person } = await makeMember(site, 'viewer', owner);
    const path = `/accounts/${owner.account}/team/${person.code}`;
    await owner.person.browser.send('PATCH', path, { role: 'owner' });
    const told = await awaitMail(site, second.person.mail, /is now a member of Acme$/);
    expect(told.text).toContain('Their role is “owner”.');
    expect(told.text).toMatch(/Changed by: Person \d+/);
    expect(await person.browser.send('DELETE', path)).toMatchObject({ status: 200 });
    expect(await subjects(second.person.mail)).toContainEqual(expect.stringMatching(/is no longer a member of Acme$/));
    expect(await subjects(person.mail)).toEqual(['Your role at Acme has changed']);
  });

  test('who has accepted an invitation, and who had invited them', async () => {
    const owner = await makeMember(site, 'owner');
    const admin = await makeMember(site, 'admin', owner);
    const mail = `joined-${process.pid}@acme.test`;
    await admin.person.browser.send('POST', `/accounts/${owner.account}/team/invitations`, { mail, role: 'finance' });
    const token = tokenIn(await awaitMail(site, mail, 'You are invited to join Acme'));
    const joiner = { name: 'Ada', language: 'en', password: 'a long word for me' };
    expect(await openBrowser(site).send('POST', '/invitations/accept-new', { ...joiner, token })).toMatchObject({
      status: 200,
    });
    const told = await awaitMail(site, owner.person.mail, 'Ada is now a member of Acme');
    expect(told.text).toContain('Their role is “finance”.');
    expect(told.text).toMatch(/Changed by: Person \d+/);
    expect(await subjects(admin.person.mail)).toEqual([]);
  });

  test('whom an operator has made a member', async () => {
    const owner = await makeMember(site, 'owner');
    const { code } = await makePerson(site);
    const context = { database: site.database, clock: systemClock, jobs: undefined };
    const { merchantAccountId } = owner;
    await addMember(context, TESTER, { merchantAccountId, personCode: code, role: 'owner' });
    const { rows } = await site.database.pool.query(
      `select to_address, data ->> 'member' as member, data ->> 'by' as by from mails
       where template = 'team-changed' and data ->> 'merchant' = $1`,
      [String(merchantAccountId)],
    );
    expect(rows).toEqual([{ to_address: owner.person.mail, member: code, by: 'operator' }]);
  });
});
