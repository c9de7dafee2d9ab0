import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { drawResetToken, enter, makePerson } from '../../rig/people/make-person.ts';
import { personOf } from '../../rig/people/person-of.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { requireLink } from '../../src/people/attempt.ts';
import { insertLockLink } from '../../src/people/lock-link-sql.ts';
import { drawLinkToken, hashLinkToken } from '../../src/people/person.ts';

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
    ['POST', `/lock/${drawLinkToken()}`, {}],
    ['GET', `/invitations/${drawLinkToken()}`, undefined],
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
    expect(await browser.send('POST', `/lock/${token}`, {})).toMatchObject({ status: 200 });
  });

  test('can open and accept an invitation', async () => {
    const { person, account } = await makeMember(site, 'owner');
    const invited = { mail: 'invited-there@acme.test', role: 'viewer' };
    const { body } = await person.browser.send('POST', `/accounts/${account}/team/invitations`, invited);
    const link = String(body.data?.['link']);
    const token = link.slice(link.lastIndexOf('/') + 1);
    expect(await browser.send('GET', `/invitations/${token}`)).toMatchObject({ status: 200 });
    const joined = { name: 'Invited', language: 'en', password: 'a new and long word' };
    expect(await browser.send('POST', `/invitations/${token}/new`, joined)).toMatchObject({ status: 200 });
  });
});
