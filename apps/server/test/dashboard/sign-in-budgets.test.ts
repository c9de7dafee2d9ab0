import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { drawResetToken, enter, giveApp, makePerson, nextCode } from '../../rig/people/make-person.ts';
import { personOf } from '../../rig/people/person-of.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { requireLink } from '../../src/people/attempt.ts';
import { forgetSessions } from '../../src/people/forget-sessions.ts';
import { insertLockLink } from '../../src/people/lock-link-sql.ts';
import { drawLinkToken, hashLinkToken } from '../../src/people/person.ts';
import { rememberDevice } from '../../src/people/remember-device.ts';

/** Budgets of guesses: what uses them up, what is returned to them, and what they never refuse. */

let site: DashboardSite;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
});
afterAll(() => site.close());

const WRONG = 'another long word';
const ORIGIN_BUDGET = 50;
const OPTIONS = '/session/passkey/options';

/** Sets how much of a budget is used. */
async function setUsed(subject: string, used: number): Promise<void> {
  await site.database.pool.query(
    `insert into attempt_budgets (subject, started_at, used) values ($1, now(), $2)
     on conflict (subject) do update set started_at = now(), used = $2`,
    [subject, used],
  );
}

async function usedOf(subject: string): Promise<number | undefined> {
  const { rows } = await site.database.pool.query<{ used: number }>(
    'select used from attempt_budgets where subject = $1',
    [subject],
  );
  return rows[0]?.used;
}

const signIn = ({ mail, password }: RigPerson, address: string) =>
  openBrowser(site, address).send('POST', '/session', { mail, password });

describe('passkey challenges', () => {
  test('use up no sign-in attempts of an address', async () => {
    const browser = openBrowser(site, '10.70.0.1');
    for (let asked = 0; asked <= ORIGIN_BUDGET; asked += 1)
      expect((await browser.send('POST', OPTIONS, {})).status).toBe(200);
    expect(await usedOf('from:10.70.0.1')).toBeUndefined();
    expect(await signIn(await makePerson(site), '10.70.0.1')).toMatchObject({ status: 200 });
  });

  test('have a budget of their own by address', async () => {
    const browser = openBrowser(site, '10.70.0.2');
    await setUsed('ask:10.70.0.2', 299);
    expect(await browser.send('POST', OPTIONS, {})).toMatchObject({ status: 200 });
    const refused = await browser.send('POST', OPTIONS, {});
    expect(refused).toMatchObject({ status: 429, body: { error_code: 'TOO_MANY_ATTEMPTS' } });
    expect(refused.headers.get('retry-after')).toBe('900');
  });

  test.each([
    ['to step up', '/session/step-up/options'],
    ['to add a passkey', '/me/passkeys/options'],
  ])('%s are limited by session', async (_title, path) => {
    const person = await makePerson(site);
    await enter(site, person);
    const statuses = new Set<number>();
    for (let asked = 0; asked < 60; asked += 1) statuses.add((await person.browser.send('POST', path, {})).status);
    expect([...statuses]).toEqual([200]);
    expect(await person.browser.send('POST', path, {})).toMatchObject({
      status: 429,
      body: { error_code: 'TOO_MANY_ATTEMPTS' },
    });
  });
});

/** Uses up all but one of a user's sign-ins of an hour. */
async function useUp({ code }: RigPerson, kind: 'known' | 'new'): Promise<void> {
  const { id } = await personOf(site.database, code);
  const statement = 'update attempt_budgets set used = 59 where starts_with(subject, $1)';
  const { rowCount } = await site.database.pool.query(statement, [`signed-in-${kind}:${id}:`]);
  expect(rowCount).toBe(1);
}

describe('sign-ins with the right password', () => {
  test('are limited per user and hour, apart from those of known browsers', async () => {
    const [person, other] = [await makePerson(site), await makePerson(site)];
    const { browser, mail, password } = person;
    const again = () => browser.send('POST', '/session', { mail, password });
    expect(await again()).toMatchObject({ status: 200 });
    await useUp(person, 'new');
    expect(await signIn(person, '10.70.1.1')).toMatchObject({ status: 200 });
    expect(await signIn(person, '10.70.1.2')).toMatchObject({
      status: 429,
      body: { error_code: 'TOO_MANY_ATTEMPTS' },
    });
    expect(await signIn(other, '10.70.1.2')).toMatchObject({ status: 200 });
    expect(await again()).toMatchObject({ status: 200 });
    await useUp(person, 'known');
    expect(await again()).toMatchObject({ status: 200 });
    expect(await again()).toMatchObject({ status: 429 });
  });

  test('beyond that use up guesses, so that they cost no more hashes than guesses do', async () => {
    const person = await makePerson(site);
    await signIn(person, '10.70.1.3');
    await useUp(person, 'new');
    await signIn(person, '10.70.1.3');
    for (let refused = 1; refused <= 3; refused += 1) {
      expect(await signIn(person, '10.70.1.3')).toMatchObject({ status: 429 });
      expect(await usedOf('from:10.70.1.3')).toBe(refused);
    }
  });

  test('are counted anew after a new password, which somebody whose password was stolen sets', async () => {
    const person = await makePerson(site);
    await signIn(person, '10.70.1.4');
    await useUp(person, 'new');
    await signIn(person, '10.70.1.4');
    expect(await signIn(person, '10.70.1.4')).toMatchObject({ status: 429 });
    const password = 'a new and long word';
    const token = await drawResetToken(site, person.code);
    expect(await openBrowser(site).send('POST', '/reset', { token, password })).toMatchObject({ status: 200 });
    expect(await signIn({ ...person, password }, '10.70.1.4')).toMatchObject({ status: 200 });
  });

  test('by which a user steps up are limited too', async () => {
    const person = await makePerson(site);
    await enter(site, person);
    const { browser, password } = person;
    const { id } = await personOf(site.database, person.code);
    await setUsed(`stepped-up:${id}`, 59);
    expect(await browser.send('POST', '/session/step-up', { password })).toMatchObject({ status: 200 });
    expect(await browser.send('POST', '/session/step-up', { password })).toMatchObject({ status: 429 });
    expect(await browser.send('GET', '/me')).toMatchObject({ status: 200 });
  });

  test('leave fifty sessions of a user, the newest', async () => {
    const [person, other] = [await makePerson(site), await makePerson(site)];
    await enter(site, other);
    const browsers = Array.from({ length: 51 }, () => openBrowser(site));
    for (const browser of browsers) await enter(site, { ...person, browser });
    const answers: number[] = [];
    for (const browser of browsers) answers.push((await browser.send('GET', '/me')).status);
    expect(answers).toEqual([401, ...Array.from({ length: 50 }, () => 200)]);
    expect(await other.browser.send('GET', '/me')).toMatchObject({ status: 200 });
  });
});

test('a successful sign-in is returned to the budget of its address', async () => {
  const person = await makePerson(site);
  await setUsed('from:10.70.0.3', ORIGIN_BUDGET - 1);
  for (let times = 0; times < 2; times += 1) expect(await signIn(person, '10.70.0.3')).toMatchObject({ status: 200 });
  expect(await signIn({ ...person, password: WRONG }, '10.70.0.3')).toMatchObject({ status: 401 });
  expect(await signIn(person, '10.70.0.3')).toMatchObject({ status: 429 });
});

test('a refused attempt does not use up what a success returns', async () => {
  const person = await makePerson(site);
  await setUsed('from:10.70.0.4', ORIGIN_BUDGET);
  for (let times = 0; times < 3; times += 1) expect(await signIn(person, '10.70.0.4')).toMatchObject({ status: 429 });
  expect(await usedOf('from:10.70.0.4')).toBe(ORIGIN_BUDGET);
});

async function drawLockToken({ person, merchantAccountId }: RigMember): Promise<string> {
  const token = drawLinkToken();
  const hash = hashLinkToken(token) ?? Buffer.alloc(0);
  const { id: personId } = await personOf(site.database, person.code);
  const now = systemClock.nowMs();
  const link = { hash, personId, merchantAccountId, expiresAt: new Date(now + 3_600_000) };
  await insertLockLink(site.database.queries, link, new Date(now));
  return token;
}

const set = ({ browser }: RigPerson) => browser.send('POST', '/me/password', { password: 'a new and long word' });

test('a user sets at most twenty passwords an hour', async () => {
  const [person, other] = [await makePerson(site), await makePerson(site)];
  for (const one of [person, other]) await enter(site, one);
  const { id } = await personOf(site.database, person.code);
  await setUsed(`password:${id}`, 19);
  expect(await set(person)).toMatchObject({ status: 200 });
  const refused = await Promise.all(Array.from({ length: 20 }, () => set(person)));
  expect(new Set(refused.map(({ status, body }) => `${status} ${body.error_code}`))).toEqual(
    new Set(['429 TOO_MANY_ATTEMPTS']),
  );
  expect(await usedOf(`password:${id}`)).toBe(20);
  expect(await set(other)).toMatchObject({ status: 200 });
});

describe('an address that has used up its budgets', () => {
  const ADDRESS = '10.70.0.5';
  let browser: ReturnType<typeof openBrowser>;
  beforeAll(async () => {
    browser = openBrowser(site, ADDRESS);
    await setUsed(`from:${ADDRESS}`, ORIGIN_BUDGET);
    for (let guess = 0; guess < ORIGIN_BUDGET; guess += 1)
      await requireLink(site.database.queries, ADDRESS, drawLinkToken());
  });

  test.each([
    ['POST', '/reset', { token: drawLinkToken(), password: WRONG }],
    ['POST', '/verify', { token: drawLinkToken(), password: WRONG }],
    ['POST', '/keep-factors', { token: drawLinkToken() }],
    ['POST', '/lock', { token: drawLinkToken() }],
    ['POST', '/invitations/open', { token: drawLinkToken() }],
  ])('is refused with an unknown link: %s %s', async (method, path, body) => {
    expect(await browser.send(method, path, body)).toMatchObject({
      status: 429,
      body: { error_code: 'TOO_MANY_ATTEMPTS' },
    });
  });

  test('can set a password by a link', async () => {
    const { code } = await makePerson(site);
    const token = await drawResetToken(site, code);
    expect(await browser.send('POST', '/reset', { token, password: 'a new and long word' })).toMatchObject({
      status: 200,
    });
  });

  test('can lock the payment methods by a link', async () => {
    const token = await drawLockToken(await makeMember(site, 'owner'));
    expect(await browser.send('POST', '/lock', { token })).toMatchObject({ status: 200 });
  });

  test('can open and accept an invitation', async () => {
    const { person, account } = await makeMember(site, 'owner');
    const invited = { mail: 'invited-there@acme.test', role: 'viewer' };
    const { body } = await person.browser.send('POST', `/accounts/${account}/team/invitations`, invited);
    const link = String(body.data?.['link']);
    const token = link.slice(link.lastIndexOf('#') + 1);
    expect(await browser.send('POST', '/invitations/open', { token })).toMatchObject({ status: 200 });
    const joined = { token, name: 'Invited', language: 'en', password: 'a new and long word' };
    expect(await browser.send('POST', '/invitations/accept-new', joined)).toMatchObject({ status: 200 });
  });
});

const SIGN_IN = { half: { next: 'factor' }, done: { next: 'done' } };

/** Guesses of strangers at a user's password, until sign-in is closed for every other browser. */
async function closeSignIn({ mail, password }: RigPerson): Promise<void> {
  for (let guess = 0; guess < 5; guess += 1)
    await openBrowser(site).send('POST', '/session', { mail, password: `${WRONG} ${guess}` });
  expect(await openBrowser(site).send('POST', '/session', { mail, password })).toMatchObject({ status: 429 });
}

async function countDevices({ code }: RigPerson): Promise<number> {
  const { rowCount } = await site.database.pool.query(
    'select from devices d join people p on p.id = d.person_id where p.code = $1',
    [code],
  );
  return rowCount ?? 0;
}

describe('a browser in which a user has signed in before', () => {
  test('signs in while guesses of strangers have closed sign-in elsewhere', async () => {
    const person = await makePerson(site);
    const { browser, mail, password } = person;
    expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({ status: 200 });
    const earlier = browser.device;
    expect(earlier).toMatch(/^counterfoil_device_dev=[\w-]{43}$/);
    await closeSignIn(person);
    await browser.send('DELETE', '/session');
    expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({ body: { data: SIGN_IN.done } });
    expect(browser.device).not.toBe(earlier);
    expect(await countDevices(person)).toBe(1);
  });

  test('has five guesses of its own, and is known by its newest token only', async () => {
    const person = await makePerson(site);
    const { browser, mail, password } = person;
    await browser.send('POST', '/session', { mail, password });
    const earlier = browser.device;
    await browser.send('POST', '/session', { mail, password });
    await closeSignIn(person);
    const thief = openBrowser(site);
    thief.device = earlier;
    expect(await thief.send('POST', '/session', { mail, password })).toMatchObject({ status: 429 });
    const statuses: number[] = [];
    for (let guess = 0; guess < 6; guess += 1)
      statuses.push((await browser.send('POST', '/session', { mail, password: WRONG })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test('has no budget for another user', async () => {
    const [person, other] = [await makePerson(site), await makePerson(site)];
    const { browser } = person;
    await browser.send('POST', '/session', { mail: person.mail, password: person.password });
    await closeSignIn(other);
    const asOther = { mail: other.mail, password: other.password };
    expect(await browser.send('POST', '/session', asOther)).toMatchObject({ status: 429 });
  });

  test('is known to each of the users who sign in there', async () => {
    const [first, second] = [await makePerson(site), await makePerson(site)];
    const { browser } = first;
    for (const { mail, password } of [first, second]) await browser.send('POST', '/session', { mail, password });
    for (const person of [first, second]) {
      await closeSignIn(person);
      const { mail, password } = person;
      expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({ status: 200 });
    }
  });

  test('gives the second factor while guesses of others have closed it', async () => {
    const person = await makePerson(site);
    const { browser, mail, password } = person;
    await browser.send('POST', '/session', { mail, password });
    await giveApp(person);
    await site.database.pool.query('delete from attempt_budgets where subject like $1', ['sign-in:%']);
    const thief = openBrowser(site);
    for (let guess = 0; guess < 6; guess += 1) {
      await thief.send('POST', '/session', { mail, password });
      await thief.send('POST', '/session/factor', { totp: '000000' });
    }
    expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({ body: { data: SIGN_IN.half } });
    expect(await browser.send('POST', '/session/factor', { totp: nextCode(person) })).toMatchObject({ status: 200 });
    expect(await thief.send('POST', '/session/factor', { totp: nextCode(person, 1) })).toMatchObject({ status: 429 });
  });

  test('is unknown after a reset of the password', async () => {
    const person = await makePerson(site);
    const { browser, mail } = person;
    await browser.send('POST', '/session', { mail, password: person.password });
    const password = 'a new and long word';
    await openBrowser(site).send('POST', '/reset', { token: await drawResetToken(site, person.code), password });
    await closeSignIn({ ...person, password });
    expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({ status: 429 });
  });

  test('is unknown after a change of the password elsewhere', async () => {
    const person = await makePerson(site);
    const { browser, mail, password: earlier } = person;
    const elsewhere = openBrowser(site);
    for (const one of [elsewhere, browser]) await one.send('POST', '/session', { mail, password: earlier });
    await browser.send('POST', '/session/step-up', { password: earlier });
    const password = 'a new and long word';
    expect(await browser.send('POST', '/me/password', { password })).toMatchObject({ status: 200 });
    await closeSignIn({ ...person, password });
    expect(await elsewhere.send('POST', '/session', { mail, password })).toMatchObject({ status: 429 });
    expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({ status: 200 });
  });

  test('is not remembered by a session that has ended meanwhile', async () => {
    const person = await makePerson(site);
    const { browser, mail, password } = person;
    await browser.send('POST', '/session', { mail, password });
    const token = browser.cookie.slice(browser.cookie.indexOf('=') + 1);
    await openBrowser(site).send('POST', '/reset', { token: await drawResetToken(site, person.code), password: WRONG });
    const visitor = { kind: 'visitor', address: browser.address, agent: 'rig' } as const;
    const context = { database: site.database, clock: systemClock };
    expect(await rememberDevice(context, visitor, token)).toBeUndefined();
    expect(await countDevices(person)).toBe(0);
  });

  test('is one of the ten newest of its user, of which the database keeps hashes', async () => {
    const person = await makePerson(site);
    const { mail, password } = person;
    const browsers = Array.from({ length: 11 }, () => openBrowser(site));
    for (const browser of browsers) await browser.send('POST', '/session', { mail, password });
    expect(await countDevices(person)).toBe(10);
    const { rows } = await site.database.pool.query<{ text: string }>('select d::text as text from devices d');
    const tokens = browsers.map(({ device }) => device.split('=')[1] ?? 'none');
    expect(rows.some(({ text }) => tokens.some((token) => text.includes(token)))).toBe(false);
  });

  test('is forgotten after half a year', async () => {
    const person = await makePerson(site);
    const { browser, mail, password } = person;
    await browser.send('POST', '/session', { mail, password });
    await site.database.pool.query(`update devices set used_at = used_at - interval '181 days'`);
    await closeSignIn(person);
    expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({ status: 429 });
    await forgetSessions({ database: site.database, clock: systemClock });
    expect(await countDevices(person)).toBe(0);
  });
});
