import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Browser, DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { MailedSite } from '../../rig/people/mailed-site.ts';
import { awaitMail, awaitQuiet, mailsTo, openMailedSite, tokenIn } from '../../rig/people/mailed-site.ts';
import { lastToken, openLateSite, sendWaiting } from '../../rig/people/late-mails.ts';
import { giveApp, makePerson, nextCode, signInByPassword } from '../../rig/people/make-person.ts';
import { makeMember } from '../../rig/people/make-member.ts';

let site: MailedSite;
beforeAll(async () => {
  site = await openMailedSite(inject('template'));
});
afterAll(() => site.close());

let addresses = 0;
const newAddress = () => `new-${process.pid}-${(addresses += 1)}@acme.test`;
const PASSWORD = 'a long word for me';
const OTHER = 'another long word';
const VERIFY = 'Confirm your email address';
const RESET = 'Reset your password';

const signUp = (mail: string, more: Record<string, unknown> = {}, browser: Browser = openBrowser(site)) =>
  browser.send('POST', '/sign-up', { mail, name: 'Ada', language: 'en', password: PASSWORD, ...more });
const signIn = (mail: string, password = PASSWORD) => openBrowser(site).send('POST', '/session', { mail, password });
const verify = (token: string, password = PASSWORD) => openBrowser(site).send('POST', '/verify', { token, password });
const forgot = (mail: string) => openBrowser(site).send('POST', '/forgot', { mail });

/** An answer as a guesser sees it. */
const seen = ({ status, body, headers }: Awaited<ReturnType<Browser['send']>>) => ({
  status,
  bytes: JSON.stringify(body),
  headers: [...headers.keys()].toSorted(),
});

/** How many rows there are in the tables that sign-ups and forgotten passwords write to. */
async function countRows(): Promise<Record<string, number>> {
  const { rows } = await site.database.pool.query<Record<string, number>>(
    `select (select count(*) from mails)::integer as mails, (select count(*) from sign_ups)::integer as "signUps",
       (select count(*) from security_events)::integer as events, (select count(*) from people)::integer as people`,
  );
  return rows[0] ?? {};
}

async function rowsWrittenBy(request: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await countRows();
  await request();
  const after = await countRows();
  return Object.fromEntries(Object.keys(after).map((table) => [table, (after[table] ?? 0) - (before[table] ?? 0)]));
}

describe('an address that is known and one that is not', () => {
  test('cost the same rows at sign-up', async () => {
    const { mail } = await makePerson(site);
    const known = await rowsWrittenBy(() => signUp(mail));
    expect(known).toEqual({ mails: 1, signUps: 1, events: 0, people: 0 });
    expect(await rowsWrittenBy(() => signUp(newAddress()))).toEqual(known);
  });

  test('cost the same rows where the password was forgotten', async () => {
    const { mail } = await makePerson(site);
    const known = await rowsWrittenBy(() => forgot(mail));
    expect(known).toEqual({ mails: 1, signUps: 0, events: 1, people: 0 });
    expect(await rowsWrittenBy(() => forgot(newAddress()))).toEqual(known);
  });
});

describe('somebody who signs up', () => {
  test('is a person once they have followed the mailed link, and not before', async () => {
    const mail = newAddress();
    expect(await signUp(mail)).toMatchObject({ status: 200, body: { data: {} } });
    expect(await signIn(mail)).toMatchObject({ status: 401 });
    const token = tokenIn(await awaitMail(site, mail, VERIFY));
    expect(await verify(token)).toMatchObject({ status: 200 });
    expect(await signIn(mail)).toMatchObject({ status: 200, body: { data: { next: 'done' } } });
    expect(await verify(token)).toMatchObject({ status: 400, body: { error_code: 'LINK_INVALID' } });
  });

  test('gets the same answer for the address of a person as for a new one, and the person is told', async () => {
    const { mail, password } = await makePerson(site);
    const unknown = newAddress();
    expect(seen(await signUp(mail))).toEqual(seen(await signUp(unknown)));
    await awaitMail(site, unknown, VERIFY);
    await awaitMail(site, mail, RESET);
    expect(mailsTo(site, mail)).toHaveLength(1);
    // The password of the sign-up works for no one.
    expect(await signIn(mail)).toMatchObject({ status: 401 });
    expect(await signIn(mail, password)).toMatchObject({ status: 200 });
  });

  test('with the address of somebody else makes no person, even when the owner of the address follows the link', async () => {
    const mail = newAddress();
    await signUp(mail, { password: OTHER });
    const token = tokenIn(await awaitMail(site, mail, VERIFY));
    expect(await verify(token, PASSWORD)).toMatchObject({ status: 401, body: { error_code: 'SIGN_IN_REFUSED' } });
    expect(await signIn(mail, OTHER)).toMatchObject({ status: 401 });
  });

  test('with an address that somebody else signed up with first gets the own password, whoever is last', async () => {
    const mail = newAddress();
    await signUp(mail, { password: OTHER, name: 'Eve' });
    const first = tokenIn(await awaitMail(site, mail, VERIFY));
    await signUp(mail);
    await awaitQuiet(site);
    const [, second] = mailsTo(site, mail);
    expect(await verify(second ? tokenIn(second) : '')).toMatchObject({ status: 200 });
    expect(await signIn(mail)).toMatchObject({ status: 200 });
    expect(await signIn(mail, OTHER)).toMatchObject({ status: 401 });
    expect(await verify(first, OTHER)).toMatchObject({ status: 400 });
  });

  test.each([
    ['an address with a line break', { mail: 'ada@acme.test\r\nBcc: eve@evil.test' }],
    ['two addresses', { mail: 'ada@acme.test, eve@evil.test' }],
    ['an address in brackets', { mail: 'Ada <ada@acme.test>' }],
  ])('with %s is refused, and nothing is mailed', async (_title, more) => {
    const before = site.receiver.received.length;
    expect(await signUp('', more)).toMatchObject({ status: 400, body: { error_code: 'VALIDATION_ERROR' } });
    await awaitQuiet(site);
    expect(site.receiver.received).toHaveLength(before);
  });

  test('with a password that guessers try first is told so', async () => {
    expect(await signUp(newAddress(), { password: 'aaaaaaaaaaaaaa' })).toMatchObject({
      status: 400,
      body: { error_code: 'PASSWORD_UNFIT' },
    });
  });

  test('has five mails an hour sent to an address, known or not', async () => {
    const { mail } = await makePerson(site);
    for (const address of [mail, newAddress()]) {
      const statuses: number[] = [];
      for (let time = 0; time < 6; time += 1) statuses.push((await forgot(address)).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    }
  });
});

describe('a person who has forgotten the password', () => {
  test('sets a new one by a mailed link, which works once; sessions end and the second factor stays', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    await giveApp(person);
    expect(await forgot(person.mail)).toMatchObject({ status: 200 });
    const token = tokenIn(await awaitMail(site, person.mail, RESET));
    const set = () => openBrowser(site).send('POST', '/reset', { token, password: OTHER });
    expect(await set()).toMatchObject({ status: 200 });
    expect(await set()).toMatchObject({ status: 400, body: { error_code: 'LINK_INVALID' } });
    expect(await person.browser.send('GET', '/me')).toMatchObject({ status: 401 });
    const browser = openBrowser(site);
    expect(await browser.send('POST', '/session', { mail: person.mail, password: OTHER })).toMatchObject({
      body: { data: { next: 'factor' } },
    });
    expect(await browser.send('POST', '/session/factor', { totp: nextCode(person) })).toMatchObject({ status: 200 });
    await awaitMail(site, person.mail, 'Your password was changed');
  });

  test('gets the same answer as somebody who is not known, who gets no mail', async () => {
    const { mail } = await makePerson(site);
    const unknown = newAddress();
    expect(seen(await forgot(mail))).toEqual(seen(await forgot(unknown)));
    await awaitMail(site, mail, RESET);
    await awaitQuiet(site);
    expect(mailsTo(site, unknown)).toEqual([]);
  });

  test('and is disabled gets no mail', async () => {
    const { mail, code } = await makePerson(site);
    await site.database.pool.query('update people set disabled_at = now() where code = $1', [code]);
    expect(await forgot(mail)).toMatchObject({ status: 200 });
    await awaitQuiet(site);
    expect(mailsTo(site, mail)).toEqual([]);
  });

  test('has an hour for the link, whose token is stored nowhere', async () => {
    const { mail, code } = await makePerson(site);
    await forgot(mail);
    const token = tokenIn(await awaitMail(site, mail, RESET));
    const { rows } = await site.database.pool.query<{ minutes: number; text: string }>(
      `select round(extract(epoch from l.expires_at - l.created_at) / 60)::integer as minutes, l::text as text
       from link_tokens l join people p on p.id = l.person_id where p.code = $1 and l.used_at is null`,
      [code],
    );
    expect(rows.map(({ minutes }) => minutes)).toEqual([60]);
    const { rows: mails } = await site.database.pool.query<{ text: string }>('select m::text as text from mails m');
    expect([...rows, ...mails].some(({ text }) => text.includes(token))).toBe(false);
  });
});

describe('an invitation', () => {
  test('is mailed with a link of its own, and its state is shown', async () => {
    const { account, person } = await makeMember(site, 'owner');
    const mail = newAddress();
    const path = `/accounts/${account}/team/invitations`;
    expect(await person.browser.send('POST', path, { mail, role: 'viewer' })).toMatchObject({
      body: { data: { mail_state: 'queued', link: expect.stringContaining('/invitation#') as string } },
    });
    const token = tokenIn(await awaitMail(site, mail, 'You are invited to join Acme'));
    await awaitQuiet(site);
    expect(await person.browser.send('GET', `/accounts/${account}/team`)).toMatchObject({
      body: { data: { invitations: [{ mail, mail_state: 'sent', opened_at: null }] } },
    });
    const browser = openBrowser(site);
    const made = { name: 'Bob', language: 'en', password: PASSWORD };
    expect(await browser.send('POST', '/invitations/accept-new', { ...made, token })).toMatchObject({ status: 200 });
    expect(await openBrowser(site).send('POST', '/invitations/open', { token })).toMatchObject({ status: 404 });
  });

  test('makes no person by the link that whoever invited was shown, and tells by it nobody who has an account', async () => {
    const { account, person } = await makeMember(site, 'owner');
    const known = await makePerson(site);
    const made = { name: 'Bob', language: 'en', password: PASSWORD };
    const unknown = newAddress();
    const answers = [];
    for (const mail of [known.mail, unknown]) {
      const path = `/accounts/${account}/team/invitations`;
      const asked = await person.browser.send('POST', path, { mail, role: 'viewer' });
      const shown = String(asked.body.data?.['link']).split('#').at(-1) ?? '';
      const opened = await openBrowser(site).send('POST', '/invitations/open', { token: shown });
      expect(opened).toMatchObject({ status: 200, body: { data: { mail, known: null } } });
      answers.push(seen(await openBrowser(site).send('POST', '/invitations/accept-new', { ...made, token: shown })));
      const mailed = tokenIn(await awaitMail(site, mail, 'You are invited to join Acme'));
      expect(await openBrowser(site).send('POST', '/invitations/open', { token: mailed })).toMatchObject({
        body: { data: { mail, known: mail === known.mail } },
      });
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({ status: 403, bytes: expect.stringContaining('FOLLOW_THE_MAIL') as string });
    const { rows } = await site.database.pool.query('select from people where mail_normal = $1', [unknown]);
    expect(rows).toEqual([]);
  });

  test('of a known address and of an unknown one are answered alike, and an unknown link like a used one', async () => {
    const { account, person } = await makeMember(site, 'owner');
    const known = await makePerson(site);
    const path = `/accounts/${account}/team/invitations`;
    const answers = [];
    for (const mail of [known.mail, newAddress()]) {
      const answer = await person.browser.send('POST', path, { mail, role: 'viewer' });
      answers.push(seen(answer).bytes.replaceAll(/[A-Z0-9]{12}|[\w-]{43}/g, 'X'));
    }
    expect(answers[0]).toBe(answers[1]);
    const made = { name: 'Bob', language: 'en', password: PASSWORD };
    const guesses = ['A'.repeat(43), 'B'.repeat(43), 'short'];
    const refused = [];
    for (const guess of guesses)
      refused.push(seen(await openBrowser(site).send('POST', '/invitations/accept-new', { ...made, token: guess })));
    expect(new Set(refused.map(({ bytes }) => bytes)).size).toBe(1);
    expect(refused[0]?.status).toBe(404);
  });

  test('is one of five mails an hour that signed-in users have sent to an address, and delays no reset', async () => {
    const mail = newAddress();
    const statuses: number[] = [];
    for (const { account, person } of [await makeMember(site, 'owner'), await makeMember(site, 'owner')])
      for (let time = 0; time < 3; time += 1) {
        const path = `/accounts/${account}/team/invitations`;
        statuses.push((await person.browser.send('POST', path, { mail, role: 'viewer' })).status);
      }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await forgot(mail)).status).toBe(200);
  });

  test('that was refused for good by the mail server is shown as failed', async () => {
    const { account, person } = await makeMember(site, 'owner');
    site.receiver.setMood('refuse');
    await person.browser.send('POST', `/accounts/${account}/team/invitations`, { mail: newAddress(), role: 'viewer' });
    await awaitQuiet(site);
    site.receiver.setMood('take');
    expect(await person.browser.send('GET', `/accounts/${account}/team`)).toMatchObject({
      body: { data: { invitations: [{ mail_state: 'failed' }] } },
    });
  });

  test('of somebody with a hostile name is one mail to one person, and links to the dashboard alone', async () => {
    const { account, person } = await makeMember(site, 'owner');
    const hostile = 'Eve\r\nBcc: x@evil.test\r\n\r\n<a href="https://evil.test">https://evil.test</a>';
    await site.database.pool.query('update people set name = $2 where code = $1', [person.code, hostile]);
    await site.database.pool.query('update merchants set name = $2 where code = $1', [account, hostile]);
    const mail = newAddress();
    await person.browser.send('POST', `/accounts/${account}/team/invitations`, { mail, role: 'viewer' });
    const got = await awaitMail(site, mail, /./);
    expect(got.to).toEqual([mail]);
    expect(got.source.slice(0, got.source.indexOf('\r\n\r\n'))).not.toMatch(/^Bcc:/m);
    expect(got.links).toEqual([expect.stringMatching(/^http:\/\/localhost:3003\/invitation#[\w-]{43}$/)]);
    expect(got.source).not.toMatch(/href=3D"https:\/\/evil|<a href="https:\/\/evil/);
  });
});

test('ten people an hour sign up from one network address, and passwords that were forgotten are counted apart', async () => {
  const office = openBrowser(site, '10.77.8.8');
  expect(await signUp(newAddress(), {}, office)).toMatchObject({ status: 200 });
  const { rowCount } = await site.database.pool.query(
    `update attempt_budgets set used = 9 where subject like 'sign-up-from:%10.77.8.8%' and used = 1`,
  );
  expect(rowCount).toBe(1);
  expect(await signUp(newAddress(), {}, office)).toMatchObject({ status: 200 });
  const refused = { status: 429, body: { error_code: 'TOO_MANY_ATTEMPTS' } };
  expect(await signUp(newAddress(), {}, office)).toMatchObject(refused);
  expect(await office.send('POST', '/forgot', { mail: newAddress() })).toMatchObject({ status: 200 });
});

test('tokens that are guessed share the budget of the network address, whichever link they are tried at', async () => {
  const guesser = openBrowser(site, '10.77.7.7');
  const token = 'A'.repeat(43);
  const tries = [
    ['POST', '/reset', { token, password: PASSWORD }],
    ['POST', '/verify', { token, password: PASSWORD }],
    ['POST', '/keep-factors', { token }],
    ['POST', '/invitations/open', { token }],
  ] as const;
  const statuses: number[] = [];
  for (let time = 0; time < 56; time += 1) {
    const [method, path, body] = tries[time % tries.length] ?? tries[0];
    statuses.push((await guesser.send(method, path, body)).status);
  }
  expect(statuses.slice(0, 50).every((status) => status === 400 || status === 404)).toBe(true);
  expect(statuses.slice(50)).toEqual([429, 429, 429, 429, 429, 429]);
});

describe('where registration is', () => {
  const open: DashboardSite[] = [];
  afterAll(async () => {
    for (const one of open) await one.close();
  });

  test.each([
    ['closed', 403, 403],
    ['invited', 403, 200],
    ['open', 200, 200],
  ] as const)(
    '%s, sign-up answers %d and a new person with an invitation %d',
    async (policy, bySignUp, byInvitation) => {
      const one = await openLateSite(inject('template'), { COUNTERFOIL_REGISTRATION: policy });
      open.push(one);
      const made = { name: 'Bob', language: 'en', password: PASSWORD };
      const up = await openBrowser(one).send('POST', '/sign-up', { ...made, mail: newAddress() });
      expect(up.status).toBe(bySignUp);
      expect(
        (await openBrowser(one).send('POST', '/verify', { token: 'A'.repeat(43), password: PASSWORD })).status,
      ).toBe(bySignUp === 200 ? 400 : 403);
      const { account, person } = await makeMember(one, 'owner');
      const path = `/accounts/${account}/team/invitations`;
      const mail = newAddress();
      await person.browser.send('POST', path, { mail, role: 'viewer' });
      const token = lastToken(await sendWaiting(one, mail));
      expect((await openBrowser(one).send('POST', '/invitations/accept-new', { ...made, token })).status).toBe(
        byInvitation,
      );
      // A known user accepts in any case: no user is created.
      const known = await makePerson(one);
      const again = await person.browser.send('POST', path, { mail: known.mail, role: 'viewer' });
      await signInByPassword(known);
      const accepted = String(again.body.data?.['link']).split('#').at(-1) ?? '';
      expect((await known.browser.send('POST', '/invitations/accept', { token: accepted })).status).toBe(200);
    },
  );
});

test('a server without mail says so to everybody, before it looks at the address', async () => {
  const one = await openDashboardSite(inject('template'));
  try {
    const { mail } = await makePerson(one);
    const answers = [];
    for (const address of [mail, newAddress()]) {
      answers.push(seen(await openBrowser(one).send('POST', '/forgot', { mail: address })));
      const body = { mail: address, name: 'Ada', language: 'en', password: PASSWORD };
      answers.push(seen(await openBrowser(one).send('POST', '/sign-up', body)));
    }
    expect(new Set(answers.map(({ bytes }) => bytes)).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 409, bytes: expect.stringContaining('MAIL_NOT_SET_UP') as string });
  } finally {
    await one.close();
  }
});
