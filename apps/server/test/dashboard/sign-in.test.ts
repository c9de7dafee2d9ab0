import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { drawResetToken, giveApp, makePerson, nextCode, signInByPassword } from '../../rig/people/make-person.ts';
import { queueAtPerson } from '../../rig/people/queue-at-person.ts';
import { requireOrigin } from '../../src/people/attempt.ts';

/** Signing in over real HTTP, with a real process and browsers that keep cookies. */

let site: DashboardSite;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
});
afterAll(() => site.close());

const WRONG = 'another long word';

describe('a person with a password', () => {
  test('signs in, is known, and signs out', async () => {
    const person = await makePerson(site);
    const { browser, mail, password } = person;
    expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({
      status: 200,
      body: { data: { next: 'done' } },
    });
    expect(await browser.send('GET', '/me')).toMatchObject({
      status: 200,
      body: { data: { person: person.code, mail, has_factor: false, elevated: false, accounts: [] } },
    });
    const kept = browser.cookie;
    expect(await browser.send('DELETE', '/session')).toMatchObject({ status: 200 });
    expect(browser.cookie).toBe('');
    const again = await browser.send('GET', '/me', undefined, { cookie: kept });
    expect(again).toMatchObject({ status: 401, body: { error_code: 'NOT_SIGNED_IN' } });
  });

  test('writes the mail address in capitals, or with spaces around it, and is known all the same', async () => {
    const { browser, mail, password } = await makePerson(site);
    expect(await browser.send('POST', '/session', { mail: ` ${mail.toUpperCase()} `, password })).toMatchObject({
      status: 200,
    });
  });

  test('gets the same answer for a wrong password as nobody gets for any', async () => {
    const { browser, mail } = await makePerson(site);
    const known = await browser.send('POST', '/session', { mail, password: WRONG });
    const unknown = await browser.send('POST', '/session', { mail: 'nobody@acme.test', password: WRONG });
    expect(known.status).toBe(401);
    expect(unknown.status).toBe(401);
    expect(unknown.body).toEqual(known.body);
    expect([known, unknown].map(({ headers }) => headers.get('set-cookie'))).toEqual([null, null]);
  });

  test('cannot sign in while disabled, and a session that they had ends', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    await site.database.pool.query('update people set disabled_at = now() where code = $1', [person.code]);
    expect(await person.browser.send('GET', '/me')).toMatchObject({ status: 401 });
    const { mail, password } = person;
    expect(await person.browser.send('POST', '/session', { mail, password })).toMatchObject({
      status: 401,
      body: { error_code: 'SIGN_IN_REFUSED' },
    });
  });

  test('has a session of which the database keeps the hash alone', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    const token = person.browser.cookie.split('=')[1] ?? '';
    expect(token).toHaveLength(43);
    const { rows } = await site.database.pool.query<{ text: string }>('select s::text as text from sessions s');
    expect(rows.some(({ text }) => text.includes(token))).toBe(false);
  });
});

describe('a second sign-in in the same browser', () => {
  test('ends the earlier session, whoever had it, and no session of another browser', async () => {
    const first = await makePerson(site);
    await signInByPassword(first);
    const elsewhere = { ...first, browser: openBrowser(site) };
    await signInByPassword(elsewhere);
    const { browser } = first;
    const earlier = browser.cookie;
    const second = await makePerson(site);
    const { mail, password } = second;
    expect(await browser.send('POST', '/session', { mail, password: WRONG })).toMatchObject({ status: 401 });
    expect(await browser.send('GET', '/me')).toMatchObject({ status: 200 });
    expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({ status: 200 });
    expect(await browser.send('GET', '/me')).toMatchObject({ body: { data: { person: second.code } } });
    expect(await openBrowser(site).send('GET', '/me', undefined, { cookie: earlier })).toMatchObject({ status: 401 });
    expect(await elsewhere.browser.send('GET', '/me')).toMatchObject({ status: 200 });
  });

  test('ends the earlier session even while the second factor is still missing', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    await giveApp(person);
    const { browser, mail, password } = person;
    const earlier = browser.cookie;
    expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({
      body: { data: { next: 'factor' } },
    });
    expect(await openBrowser(site).send('GET', '/me', undefined, { cookie: earlier })).toMatchObject({ status: 401 });
  });
});

const guessFrom = (address: string, mail = 'nobody@elsewhere.test') =>
  openBrowser(site, address).send('POST', '/session', { mail, password: WRONG });

describe('guesses at a password', () => {
  test('are five in a quarter of an hour, also when all come at once and from everywhere', async () => {
    const { mail, password } = await makePerson(site);
    const guesses = await Promise.all(
      Array.from({ length: 20 }, () => openBrowser(site).send('POST', '/session', { mail, password: WRONG })),
    );
    const refused = guesses.map(({ status }) => status).toSorted((left, right) => left - right);
    expect(refused).toEqual([...Array.from({ length: 5 }, () => 401), ...Array.from({ length: 15 }, () => 429)]);
    // The right password waits too: otherwise the answer would reveal which guess was right.
    expect(await openBrowser(site).send('POST', '/session', { mail, password })).toMatchObject({ status: 429 });
  });

  test('at a mail address that nobody has are limited alike', async () => {
    const mail = 'nobody-at-all@acme.test';
    const statuses: number[] = [];
    for (let guess = 0; guess < 6; guess += 1)
      statuses.push((await openBrowser(site).send('POST', '/session', { mail, password: WRONG })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test('of one network address at many people are limited, and nobody else suffers', async () => {
    const { mail, password } = await makePerson(site);
    const attacker = openBrowser(site, '10.66.6.6');
    let status = 401;
    for (let guess = 0; guess < 60 && status === 401; guess += 1)
      ({ status } = await attacker.send('POST', '/session', { mail: `victim-${guess}@acme.test`, password: WRONG }));
    expect(status).toBe(429);
    expect(await openBrowser(site).send('POST', '/session', { mail, password })).toMatchObject({ status: 200 });
  });

  test.each([
    ['/56', 200, (guess: number) => `2001:db8:77:${(guess % 256).toString(16)}::1`, '2001:db8:77:100::1'],
    ['/48', 800, (guess: number) => `2001:db8:78:${(guess * 64).toString(16)}::1`, '2001:db8:79::1'],
  ])(
    'from ever new networks of one %s are %i together, and those beside it go on',
    async (_bits, most, from, beside) => {
      for (let made = 0; made < most; made += 1) await requireOrigin(site.database.queries, from(made));
      expect(await guessFrom(from(most))).toMatchObject({ status: 429, body: { error_code: 'TOO_MANY_ATTEMPTS' } });
      expect(await guessFrom(beside)).toMatchObject({ status: 401 });
    },
  );

  test('that were right are not counted: a person may sign in as often as they like', async () => {
    const { browser, mail, password } = await makePerson(site);
    for (let time = 0; time < 8; time += 1)
      expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({ status: 200 });
  });
});

describe('a person with an authenticator app', () => {
  test('is not signed in by the password alone, and is by its code', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    await giveApp(person);
    const { mail, password } = person;
    const browser = openBrowser(site);
    expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({
      body: { data: { next: 'factor' } },
    });
    expect(await browser.send('GET', '/me')).toMatchObject({ status: 401 });
    expect(await browser.send('POST', '/session/step-up', { password })).toMatchObject({ status: 401 });
    const half = browser.cookie;
    expect(await browser.send('POST', '/session/factor', { totp: nextCode(person) })).toMatchObject({ status: 200 });
    expect(browser.cookie).not.toBe(half);
    expect(await browser.send('GET', '/me')).toMatchObject({ status: 200, body: { data: { has_factor: true } } });
    // The token from before two-factor is no longer valid.
    expect(await browser.send('GET', '/me', undefined, { cookie: half })).toMatchObject({ status: 401 });
    expect(
      await browser.send('POST', '/session/factor', { totp: nextCode(person, 1) }, { cookie: half }),
    ).toMatchObject({ status: 401, body: { error_code: 'NOT_SIGNED_IN' } });
  });

  test('uses a code once, also when two browsers send it at the same moment', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    await giveApp(person);
    const { mail, password } = person;
    const two = [openBrowser(site), openBrowser(site)];
    for (const browser of two) await browser.send('POST', '/session', { mail, password });
    const totp = nextCode(person);
    const answers = await Promise.all(two.map((browser) => browser.send('POST', '/session/factor', { totp })));
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 401]);
  });

  test('is notified of a code that was right and is used again, and not of a wrong one', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    await giveApp(person);
    const { mail, password } = person;
    const notices = async () => {
      const { rows } = await site.database.pool.query<{ count: number }>(
        `select count(*)::integer as count from mails where to_address = $1 and template = 'two-factor-code-used-again'`,
        [mail],
      );
      return rows[0]?.count;
    };
    const totp = nextCode(person);
    const counts = [];
    for (const typed of ['000000', totp, totp]) {
      const browser = openBrowser(site);
      await browser.send('POST', '/session', { mail, password });
      await browser.send('POST', '/session/factor', { totp: typed });
      counts.push(await notices());
    }
    expect(counts).toEqual([0, 0, 1]);
  });

  test('has five guesses at the code over all browsers', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    await giveApp(person);
    const { mail, password } = person;
    const statuses: number[] = [];
    for (let guess = 0; guess < 7; guess += 1) {
      const browser = openBrowser(site);
      await browser.send('POST', '/session', { mail, password });
      statuses.push((await browser.send('POST', '/session/factor', { totp: '000000' })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });

  test('who lost the app signs in with a recovery code, each of which works once, also when raced', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    await giveApp(person);
    const { mail, password, recoveryCodes = [] } = person;
    expect(recoveryCodes).toHaveLength(10);
    const two = [openBrowser(site), openBrowser(site)];
    for (const browser of two) await browser.send('POST', '/session', { mail, password });
    const [recovery] = recoveryCodes;
    const answers = await Promise.all(two.map((browser) => browser.send('POST', '/session/factor', { recovery })));
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 401]);
    const winner = two[answers.findIndex(({ status }) => status === 200)];
    expect(await winner?.send('GET', '/me')).toMatchObject({ body: { data: { recovery_codes_left: 9 } } });
  });

  test('without guesses left is refused with a right recovery code too, which stays unused', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    await giveApp(person);
    const { mail, password, recoveryCodes: [recovery] = [] } = person;
    const browser = openBrowser(site);
    await browser.send('POST', '/session', { mail, password });
    for (let guess = 0; guess < 5; guess += 1) await browser.send('POST', '/session/factor', { totp: '000000' });
    expect(await browser.send('POST', '/session/factor', { recovery })).toMatchObject({ status: 429 });
    expect(await person.browser.send('GET', '/me')).toMatchObject({ body: { data: { recovery_codes_left: 10 } } });
    await site.database.pool.query(`delete from attempt_budgets where subject like 'factor:%'`);
    expect(await browser.send('POST', '/session/factor', { recovery })).toMatchObject({ status: 200 });
  });

  test('cannot use a recovery code in place of the password', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    await giveApp(person);
    const [recovery = ''] = person.recoveryCodes ?? [];
    const browser = openBrowser(site);
    expect(await browser.send('POST', '/session', { mail: person.mail, password: recovery })).toMatchObject({
      status: 401,
    });
    expect(await browser.send('POST', '/session/factor', { recovery })).toMatchObject({ status: 401 });
  });
});

const RENEWED = 'yet another long word';

/** Sets a person's password by a link, as after a takeover. */
async function resetOf({ code }: RigPerson) {
  const token = await drawResetToken(site, code);
  return () => openBrowser(site).send('POST', '/reset', { token, password: RENEWED });
}

describe('at the moment at which a password is reset', () => {
  test('a sign-in with the old password, which was right when it was checked, is refused and noted', async () => {
    const person = await makePerson(site);
    const { browser: thief, mail, password } = person;
    const signIn = () => thief.send('POST', '/session', { mail, password });
    const answers = await queueAtPerson(site, person, [await resetOf(person), signIn]);
    expect(answers).toMatchObject([{ status: 200 }, { status: 401, body: { error_code: 'SIGN_IN_REFUSED' } }]);
    expect(await thief.send('GET', '/me')).toMatchObject({ status: 401 });
    const { rowCount } = await site.database.pool.query(
      `select from security_events e join people p on p.id = e.person_id where p.code = $1 and e.kind = 'sign-in-refused'`,
      [person.code],
    );
    expect(rowCount).toBe(1);
  });

  test.each(['sign-in', 'step-up', 'second factor'])('a session that a %s opens just before it ends', async (way) => {
    const person = await makePerson(site);
    const { browser: thief, mail, password } = person;
    if (way !== 'sign-in') await signInByPassword(person);
    if (way === 'second factor') {
      await giveApp(person);
      await thief.send('POST', '/session', { mail, password });
    }
    const open = () => {
      if (way === 'sign-in') return thief.send('POST', '/session', { mail, password });
      if (way === 'step-up') return thief.send('POST', '/session/step-up', { password });
      return thief.send('POST', '/session/factor', { totp: nextCode(person) });
    };
    const answers = await queueAtPerson(site, person, [open, await resetOf(person)]);
    expect(answers).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(await thief.send('GET', '/me')).toMatchObject({ status: 401 });
  });

  test('a session that it ends can no longer replace the new password', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    const { browser: thief, mail, password } = person;
    await thief.send('POST', '/session/step-up', { password });
    const change = () => thief.send('POST', '/me/password', { password: 'the word of the thief' });
    const answers = await queueAtPerson(site, person, [await resetOf(person), change]);
    expect(answers).toMatchObject([{ status: 200 }, { status: 401 }]);
    expect(await openBrowser(site).send('POST', '/session', { mail, password: RENEWED })).toMatchObject({
      status: 200,
    });
  });
});

test('a sign-in at the moment at which an app is added needs the code of the app', async () => {
  const person = await makePerson(site);
  await signInByPassword(person);
  const { browser, mail, password } = person;
  await browser.send('POST', '/session/step-up', { password });
  const begun = await browser.send('POST', '/me/totp', {});
  const totp = nextCode({ ...person, totpSecret: String(begun.body.data?.['secret']) });
  const thief = openBrowser(site);
  const answers = await queueAtPerson(site, person, [
    () => browser.send('POST', '/me/totp/confirm', { totp }),
    () => thief.send('POST', '/session', { mail, password }),
  ]);
  expect(answers).toMatchObject([{ status: 200 }, { status: 200, body: { data: { next: 'factor' } } }]);
  expect(await thief.send('GET', '/me')).toMatchObject({ status: 401 });
});
