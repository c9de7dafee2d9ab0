import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { countWaits } from '../../rig/database/count-waits.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser } from '../../rig/people/dashboard-site.ts';
import { lastToken, openLateSite, sendWaiting } from '../../rig/people/late-mails.ts';
import type { MailedSite } from '../../rig/people/mailed-site.ts';
import { awaitMail, awaitQuiet, mailsTo, openMailedSite, tokenIn } from '../../rig/people/mailed-site.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { giveApp, makePerson, signInByPassword } from '../../rig/people/make-person.ts';

let site: MailedSite;
beforeAll(async () => {
  site = await openMailedSite(inject('template'));
});
afterAll(() => site.close());

let addresses = 0;
const newAddress = () => `moved-${process.pid}-${(addresses += 1)}@acme.test`;
const VERIFY = 'Confirm your email address';

/** A person who is signed in and has just proven again who they are. */
async function elevated(at: DashboardSite = site): Promise<RigPerson> {
  const person = await makePerson(at);
  await signInByPassword(person);
  await person.browser.send('POST', '/session/step-up', { password: person.password });
  return person;
}

const ask = ({ browser }: RigPerson, mail: string) => browser.send('POST', '/me/email', { mail });
const confirm = ({ browser }: RigPerson, token: string) => browser.send('POST', '/me/email/confirm', { token });

async function askedToken(person: RigPerson, mail: string): Promise<string> {
  expect(await ask(person, mail)).toMatchObject({ status: 200, body: { data: {} } });
  return tokenIn(await awaitMail(site, mail, VERIFY));
}

describe('a new mail address', () => {
  test('is the person’s once its link was followed; other sessions end, and the old address is told', async () => {
    const person = await elevated();
    const other = openBrowser(site);
    await other.send('POST', '/session', { mail: person.mail, password: person.password });
    const mail = newAddress();
    const token = await askedToken(person, mail);
    expect(await person.browser.send('GET', '/me')).toMatchObject({ body: { data: { mail: person.mail } } });
    expect(await confirm(person, token)).toMatchObject({ status: 200 });
    expect(await person.browser.send('GET', '/me')).toMatchObject({ body: { data: { mail } } });
    expect(await other.send('GET', '/me')).toMatchObject({ status: 401 });
    const told = await awaitMail(site, person.mail, 'Your email address was changed');
    expect(told.text).toContain(mail);
    const { rows } = await site.database.pool.query(
      'select c.replaced_shown as replaced from address_changes c join people p on p.id = c.person_id where p.code = $1',
      [person.code],
    );
    expect(rows).toEqual([{ replaced: person.mail }]);
    const { password } = person;
    expect(await openBrowser(site).send('POST', '/session', { mail, password })).toMatchObject({ status: 200 });
    expect(await openBrowser(site).send('POST', '/session', { mail: person.mail, password })).toMatchObject({
      status: 401,
    });
    expect(await confirm(person, token)).toMatchObject({ status: 400, body: { error_code: 'LINK_INVALID' } });
  });

  test('needs a step-up', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    expect(await ask(person, newAddress())).toMatchObject({ status: 403, body: { error_code: 'STEP_UP_NEEDED' } });
  });

  test('is not taken by somebody else who has the link', async () => {
    const [person, thief] = [await elevated(), await elevated()];
    const token = await askedToken(person, newAddress());
    expect(await confirm(thief, token)).toMatchObject({ status: 400 });
    expect(await confirm(person, token)).toMatchObject({ status: 200 });
  });

  test('that was asked for before another one does nothing', async () => {
    const person = await elevated();
    const first = await askedToken(person, newAddress());
    const mail = newAddress();
    const second = await askedToken(person, mail);
    expect(await confirm(person, first)).toMatchObject({ status: 400 });
    expect(await confirm(person, second)).toMatchObject({ status: 200 });
    expect(await person.browser.send('GET', '/me')).toMatchObject({ body: { data: { mail } } });
  });

  test('that somebody else has is answered like a free one, and nobody gets a mail', async () => {
    const [person, known] = [await elevated(), await makePerson(site)];
    const taken = await ask(person, known.mail);
    const free = await ask(person, newAddress());
    expect({ status: taken.status, body: taken.body }).toEqual({ status: free.status, body: free.body });
    await awaitQuiet(site);
    expect(mailsTo(site, known.mail)).toEqual([]);
  });

  test('that two people ask for and confirm at the same moment is one person’s', async () => {
    const two = [await elevated(), await elevated()] as const;
    const mail = newAddress();
    const first = await askedToken(two[0], mail);
    await ask(two[1], mail);
    await awaitQuiet(site);
    const [, last] = mailsTo(site, mail);
    const second = last ? tokenIn(last) : '';
    const answers = await Promise.all([confirm(two[0], first), confirm(two[1], second)]);
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused).toMatchObject({ body: { error_code: 'ADDRESS_TAKEN' } });
    const { rows } = await site.database.pool.query('select from people where mail_normal = $1', [mail]);
    expect(rows).toHaveLength(1);
    // The loser keeps the old address, and can still sign in with it.
    const loser = two[answers.findIndex(({ status }) => status === 409)];
    expect(await loser?.browser.send('GET', '/me')).toMatchObject({ body: { data: { mail: loser?.mail } } });
  });

  test('voids the links in the old mailbox', async () => {
    const person = await elevated();
    await openBrowser(site).send('POST', '/forgot', { mail: person.mail });
    const reset = tokenIn(await awaitMail(site, person.mail, 'Reset your password'));
    expect(await confirm(person, await askedToken(person, newAddress()))).toMatchObject({ status: 200 });
    const answer = await openBrowser(site).send('POST', '/reset', { token: reset, password: 'another long word' });
    expect(answer).toMatchObject({ status: 400, body: { error_code: 'LINK_INVALID' } });
  });

  test('is asked for five times in a quarter of an hour', async () => {
    const person = await elevated();
    const statuses: number[] = [];
    for (let time = 0; time < 6; time += 1) statuses.push((await ask(person, newAddress())).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });
});

describe('a mail that is sent after the address was changed', () => {
  let late: DashboardSite;
  beforeAll(async () => {
    late = await openLateSite(inject('template'));
  });
  afterAll(() => late.close());

  const forgot = (mail: string) => openBrowser(late).send('POST', '/forgot', { mail });

  const countLocked = () => countWaits(late.database);

  test('brings no link for a new password to the old mailbox; the new one can have one', async () => {
    const person = await elevated(late);
    await forgot(person.mail);
    const mail = newAddress();
    await ask(person, mail);
    expect(await confirm(person, lastToken(await sendWaiting(late, mail)))).toMatchObject({ status: 200 });
    const old = await sendWaiting(late, person.mail);
    expect(old.map(({ subject }) => subject)).toEqual(['Your email address was changed']);
    await forgot(mail);
    const token = lastToken(await sendWaiting(late, mail));
    const reset = await openBrowser(late).send('POST', '/reset', { token, password: 'another long word' });
    expect(reset).toMatchObject({ status: 200 });
  });

  test('brings none either where the change is made while the mail is written', async () => {
    const person = await elevated(late);
    await forgot(person.mail);
    const holder = await late.database.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('update people set mail_normal = $2, mail_shown = $2 where code = $1', [
        person.code,
        newAddress(),
      ]);
      const sending = sendWaiting(late, person.mail);
      await expect.poll(countLocked, { interval: 5 }).toBe(1);
      await holder.query('commit');
      expect(await sending).toEqual([]);
    } finally {
      holder.release();
    }
  });

  test('brings no link about a reset of second factors to an old mailbox of the person or of an owner', async () => {
    const owner = await makeMember(late, 'owner');
    const { person: member } = await makeMember(late, 'developer', owner);
    await giveApp(member);
    const path = `/accounts/${owner.account}/team/${member.code}/reset-factors`;
    expect(await owner.person.browser.send('POST', path, { reason: 'lost' })).toMatchObject({ status: 200 });
    await late.database.pool.query(
      `update people set mail_normal = 'new-' || mail_normal, mail_shown = 'new-' || mail_normal where code = any($1)`,
      [[member.code, owner.person.code]],
    );
    for (const { mail } of [member, owner.person]) {
      const subjects = (await sendWaiting(late, mail)).map(({ subject }) => subject);
      expect(subjects.filter((subject) => /reset/.test(subject))).toEqual([]);
    }
  });
});
