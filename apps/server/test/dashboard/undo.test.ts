import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Browser } from '../../rig/people/dashboard-site.ts';
import { DASHBOARD_URL, openBrowser } from '../../rig/people/dashboard-site.ts';
import type { MailedSite } from '../../rig/people/mailed-site.ts';
import { awaitMail, awaitQuiet, mailsTo, openMailedSite, tokenIn } from '../../rig/people/mailed-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import { giveApp, givePasskey, nextCode } from '../../rig/people/make-person.ts';
import { forgetChanges, stealAddress } from '../../rig/people/take-over.ts';

let site: MailedSite;
beforeAll(async () => {
  site = await openMailedSite(inject('template'));
});
afterAll(() => site.close());

const MOVED = 'Your email address was changed';
const WAITS = 'Your earlier sign-in details will be restored';
const RESTORED = 'Your earlier sign-in details were restored';
const UNKNOWN = 'A'.repeat(43);

let addresses = 0;
const newAddress = () => `stolen-${process.pid}-${(addresses += 1)}@thief.test`;

/** An owner with an app, whose own changes are a week old. */
async function openVictim(): Promise<RigMember> {
  const victim = await makeMember(site, 'owner');
  await giveApp(victim.person);
  return victim;
}

/** Replaces the email address and the password in a session that was stolen. */
async function takeOver({ person }: RigMember): Promise<{ stolen: string; token: string }> {
  const stolen = newAddress();
  const token = await stealAddress(site, person, stolen);
  const changed = await person.browser.send('POST', '/me/password', { password: 'a word of the thief' });
  expect(changed).toMatchObject({ status: 200 });
  return { stolen, token };
}

const post = (path: string, body: unknown, browser: Browser = openBrowser(site)) => browser.send('POST', path, body);
const signIn = (mail: string, password: string) => post('/session', { mail, password });

async function isLocked({ merchantAccountId }: RigMember): Promise<boolean | undefined> {
  const { rows } = await site.database.pool.query<{ locked: boolean }>(
    'select methods_locked_at is not null as locked from merchants where id = $1',
    [merchantAccountId],
  );
  return rows[0]?.locked;
}

describe('an undo link in an email', () => {
  test('ends sessions, locks payment methods and restores by a code of the earlier app, and signs nobody in', async () => {
    const victim = await openVictim();
    const { person } = victim;
    await forgetChanges(site, victim.person);
    const { stolen, token } = await takeOver(victim);
    const browser = openBrowser(site);
    expect(await post('/undo', { token }, browser)).toMatchObject({
      status: 200,
      body: { data: { mail: person.mail, totp: true, passkey: false, recovery: true, effective_at: null } },
    });
    expect(await person.browser.send('GET', '/me')).toMatchObject({ status: 401 });
    expect(await isLocked(victim)).toBe(true);
    expect(await signIn(person.mail, person.password)).toMatchObject({ status: 401 });
    expect(await post('/undo/restore', { token, totp: nextCode(person) }, browser)).toMatchObject({ status: 200 });
    expect([browser.cookie, browser.device]).toEqual(['', '']);
    expect(await signIn(person.mail, person.password)).toMatchObject({ body: { data: { next: 'factor' } } });
    expect(await signIn(stolen, 'a word of the thief')).toMatchObject({ status: 401 });
    for (const path of ['/undo', '/undo/request'])
      expect(await post(path, { token })).toMatchObject({ status: 400, body: { error_code: 'LINK_INVALID' } });
    for (const mail of [person.mail, stolen]) expect((await awaitMail(site, mail, RESTORED)).links).toEqual([]);
  });

  test('restores by a passkey of before, whose answer is good for this link alone', async () => {
    const victim = await openVictim();
    const device = await givePasskey(victim.person);
    await forgetChanges(site, victim.person);
    const { token } = await takeOver(victim);
    const options = (await post('/undo/passkey/options', { token })).body.data;
    expect(options?.['allowCredentials']).toHaveLength(1);
    const answer = device.answer(options, DASHBOARD_URL);
    expect(await post('/session/passkey/verify', { answer })).toMatchObject({ status: 401 });
    const again = device.answer((await post('/undo/passkey/options', { token })).body.data, DASHBOARD_URL);
    expect(await post('/undo/restore', { token, answer: again })).toMatchObject({ status: 200 });
    const { mail, password } = victim.person;
    expect(await signIn(mail, password)).toMatchObject({ body: { data: { next: 'factor' } } });
  });

  test('without an earlier method waits a day, and both addresses can stop it', async () => {
    for (const stopper of ['mail', 'stolen'] as const) {
      const victim = await openVictim();
      await forgetChanges(site, victim.person);
      const { stolen, token } = await takeOver(victim);
      const { mail } = victim.person;
      const asked = await post('/undo/request', { token });
      const soon = (await post('/undo', { token })).body.data?.['effective_at'];
      expect(asked.body.data).toEqual({ effective_at: soon });
      const stopping = tokenIn(await awaitMail(site, stopper === 'mail' ? mail : stolen, WAITS));
      expect(await post('/undo/stop', { token: stopping })).toMatchObject({ status: 200 });
      expect(await post('/undo/stop', { token: stopping })).toMatchObject({ status: 400 });
      expect(await post('/undo', { token })).toMatchObject({ body: { data: { effective_at: null } } });
    }
  });

  test('is in emails about passwords and two-factor methods too, and not in those to a new address', async () => {
    const victim = await openVictim();
    await awaitMail(site, victim.person.mail, 'A two-factor method was added');
    const { stolen } = await takeOver(victim);
    await awaitQuiet(site);
    const subjects = (mail: string) => mailsTo(site, mail).filter(({ links }) => /\/undo#/.test(links.join(' ')));
    expect(subjects(victim.person.mail).map(({ subject }) => subject)).toEqual([
      'A two-factor method was added',
      MOVED,
    ]);
    expect(mailsTo(site, stolen).map(({ subject }) => subject)).toContain('Your password was changed');
    expect(subjects(stolen)).toEqual([]);
  });

  test('is not refused because of guesses at links from the same address, and ten wrong codes a day are the most', async () => {
    const victim = await openVictim();
    await forgetChanges(site, victim.person);
    const { token } = await takeOver(victim);
    const crowd = openBrowser(site);
    for (let guess = 0; guess <= 50; guess += 1) await post('/undo', { token: UNKNOWN }, crowd);
    expect(await post('/undo', { token: UNKNOWN }, crowd)).toMatchObject({ status: 429 });
    expect(await post('/undo', { token }, crowd)).toMatchObject({ status: 200 });
    const statuses: number[] = [];
    for (let guess = 0; guess <= 10; guess += 1)
      statuses.push((await post('/undo/restore', { token, recovery: 'AAAAA-AAAAA' }, crowd)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    expect(await post('/undo/request', { token }, crowd)).toMatchObject({ status: 200 });
  });
});
