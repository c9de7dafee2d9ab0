import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { DASHBOARD_URL, openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { drawResetToken, makePerson, signInByPassword } from '../../rig/people/make-person.ts';
import { CALLS_PER_MINUTE } from '../../src/http/request-budget.ts';

/** Requests that a browser would send on behalf of another site, and malformed requests. */

let site: DashboardSite;
let person: RigPerson;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
  person = await makePerson(site);
  await signInByPassword(person);
});
afterAll(() => site.close());

describe('a request that changes something is refused', () => {
  test.each([
    ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }],
    ['from a neighbouring host', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }],
    ['typed by hand', { 'sec-fetch-site': 'none' }],
    ['from a page without an origin', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
    ['with a false word and a true origin', { 'sec-fetch-site': 'cross-site' }],
    ['with a true word and a false origin', { origin: 'https://evil.test' }],
  ])('%s', async (_title, headers) => {
    const before = person.browser.cookie;
    const answer = await person.browser.send('DELETE', '/session', undefined, headers);
    expect(answer).toMatchObject({ status: 403, body: { error_code: 'FOREIGN_REQUEST' } });
    expect(person.browser.cookie).toBe(before);
    expect(await person.browser.send('GET', '/me')).toMatchObject({ status: 200 });
  });

  test('without any sign of where it comes from', async () => {
    const response = await fetch(`${site.server.url}/api/dashboard/session`, {
      method: 'DELETE',
      headers: { cookie: person.browser.cookie },
    });
    expect(response.status).toBe(403);
  });

  test('as a form, which needs no permission of a browser to be sent', async () => {
    const response = await fetch(`${site.server.url}/api/dashboard/session`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', origin: DASHBOARD_URL },
      body: new URLSearchParams({ mail: person.mail, password: person.password }),
    });
    expect(response.status).toBe(415);
  });
});

const FLOOD_AT_ONCE = 50;

test('an old browser that sends only its origin is served', async () => {
  const { cookie } = person.browser;
  const response = await fetch(`${site.server.url}/api/dashboard/me/sessions/SES-ABSENT000000`, {
    method: 'DELETE',
    headers: { cookie, origin: DASHBOARD_URL },
  });
  // The session named is not there: the request itself was taken.
  expect(await response.json()).toMatchObject({ error_code: 'NOT_FOUND' });
});

describe('a cookie that somebody else set', () => {
  test('is not taken over at sign-in: the token is always a new one', async () => {
    const browser = openBrowser(site);
    browser.cookie = `counterfoil_dev=${'A'.repeat(43)}`;
    const { mail, password } = person;
    await browser.send('POST', '/session', { mail, password });
    expect(browser.cookie).not.toContain('A'.repeat(43));
  });

  test('beside the own one signs nobody in', async () => {
    const cookie = `${person.browser.cookie}; counterfoil_dev=${'A'.repeat(43)}`;
    expect(await person.browser.send('GET', '/me', undefined, { cookie })).toMatchObject({ status: 401 });
  });
});

const sendText = (body: string) =>
  fetch(`${site.server.url}/api/dashboard/session`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body,
  });

describe('a body is refused', () => {
  test.each([
    ['with a field that nobody asked for', { mail: 'a@b.test', password: 'x', operator_role: 'operator' }],
    ['with an object for a text', { mail: { $gt: '' }, password: 'x' }],
    ['with a list for a text', { mail: ['a@b.test'], password: 'x' }],
    ['without a password', { mail: 'a@b.test' }],
    ['that is no object', 'text'],
    ['with a NUL in a text', { mail: 'a\u0000b@b.test', password: 'x' }],
    ['with half a character in a text', { mail: 'a@b.test', password: 'x\uD800' }],
    ['with a password of a million characters', { mail: 'a@b.test', password: 'x'.repeat(5_000) }],
  ])('%s', async (_title, body) => {
    expect(await openBrowser(site).send('POST', '/session', body)).toMatchObject({
      status: 400,
      body: { error_code: 'VALIDATION_ERROR' },
    });
  });

  test('that is no JSON, or too large', async () => {
    expect((await sendText('{"mail":')).status).toBe(400);
    expect((await sendText(JSON.stringify({ mail: 'x'.repeat(20_000) }))).status).toBe(413);
  });
});

test('a name with a NUL cannot be registered', async () => {
  const body = { mail: 'nul@acme.test', name: 'a\u0000b', language: 'en', password: 'a long word of nul' };
  expect(await openBrowser(site).send('POST', '/sign-up', body)).toMatchObject({
    status: 400,
    body: { error_code: 'VALIDATION_ERROR', details: { errors: [{ field: 'name' }] } },
  });
});

test.each([
  ['GET', '/accounts/%00/stores'],
  ['DELETE', '/me/sessions/SES-%00'],
  ['DELETE', '/me/passkeys/%00'],
])('%s %s, with a NUL in the path, is nothing', async (method, path) => {
  expect(await person.browser.send(method, path)).toMatchObject({ status: 404, body: { error_code: 'NOT_FOUND' } });
});

test('a browser with a very long name is served, and its wrong guesses are noted', async () => {
  const { code, mail, password } = await makePerson(site);
  const named = { 'user-agent': `Mozilla/5.0 ${'x'.repeat(1_000)}` };
  const browser = openBrowser(site);
  const wrong = { mail, password: 'a wrong long word' };
  expect(await browser.send('POST', '/session', wrong, named)).toMatchObject({ status: 401 });
  expect(await browser.send('POST', '/session', { mail, password }, named)).toMatchObject({ status: 200 });
  expect(await browser.send('POST', '/session/step-up', { password }, named)).toMatchObject({ status: 200 });
  const { rows } = await site.database.pool.query<{ kind: string; length: number }>(
    `select e.kind, length(e.agent) from security_events e join people p on p.id = e.person_id
     where p.code = $1 and e.kind <> 'password-set' order by e.at`,
    [code],
  );
  expect(rows).toEqual(['sign-in-refused', 'sign-in', 'step-up'].map((kind) => ({ kind, length: 200 })));
});

test('every answer forbids being kept, framed or read by another site', async () => {
  const { headers } = await person.browser.send('GET', '/me');
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'no-store',
    'content-disposition': 'attachment; filename="api.json"',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': expect.stringContaining('camera=()'),
  });
  expect(headers.get('access-control-allow-origin')).toBeNull();
});

test.each(['/', '/nothing', '/me/', '/session'])('%s is nothing', async (path) => {
  expect(await openBrowser(site).send('GET', path)).toMatchObject({ status: 404, body: { error_code: 'NOT_FOUND' } });
});

test('no answer, and no line of the log, holds a password, a code or a token', async () => {
  const { browser, code, mail } = await makePerson(site);
  const password = 'a new and long word';
  const token = await drawResetToken(site, code);
  await browser.send('POST', '/reset', { token, password });
  await browser.send('POST', '/session', { mail, password });
  await browser.send('POST', '/session', { mail, password: 'a wrong long word' });
  const calls = () => site.server.output().match(new RegExp(`^.*"${browser.address}".*$`, 'gm'))?.length;
  await expect.poll(calls).toBe(3);
  const output = site.server.output();
  for (const secret of [password, token, 'a wrong long word', browser.cookie.split('=')[1] ?? 'none'])
    expect(output).not.toContain(secret);
});

test('a caller with too many calls in a minute is told to wait; others are answered, and the app still opens', async () => {
  const caller = openBrowser(site, '198.51.100.7');
  const statuses = new Set<number>();
  for (let sent = 0; sent < CALLS_PER_MINUTE; sent += FLOOD_AT_ONCE) {
    const answers = Array.from({ length: FLOOD_AT_ONCE }, () => caller.send('GET', '/me'));
    for (const { status } of await Promise.all(answers)) statuses.add(status);
  }
  expect([...statuses]).toEqual([401]);
  const refused = await caller.send('GET', '/me');
  expect(refused).toMatchObject({ status: 429, body: { error_code: 'TOO_MANY_REQUESTS' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await openBrowser(site).send('GET', '/me')).toMatchObject({ status: 401 });
  const page = await fetch(`${site.server.url}/sign-in`, { headers: { 'x-forwarded-for': caller.address } });
  expect(page.status).toBe(200);
});
