import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createPerson } from '../../src/people/create-person.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { giveApp, makePerson, nextCode, signInByPassword } from '../../rig/people/make-person.ts';

/** Changes to a user's own two-factor methods, password and sessions: all require a step-up. */

let site: DashboardSite;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
});
afterAll(() => site.close());

async function signedIn(): Promise<RigPerson> {
  const person = await makePerson(site);
  await signInByPassword(person);
  return person;
}

describe('without a step-up', () => {
  test.each([
    ['an app cannot be begun', 'POST', '/me/totp', {}],
    ['an app cannot be confirmed', 'POST', '/me/totp/confirm', { totp: '123456' }],
    ['an app cannot be removed', 'DELETE', '/me/totp', undefined],
    ['recovery codes cannot be drawn', 'POST', '/me/recovery-codes', {}],
    ['the password cannot be changed', 'POST', '/me/password', { password: 'yet another long word' }],
  ])('%s', async (_title, method, path, body) => {
    const { browser } = await signedIn();
    expect(await browser.send(method, path, body)).toMatchObject({
      status: 403,
      body: { error_code: 'STEP_UP_NEEDED' },
    });
  });
});

describe('the language of a person', () => {
  test('is told as it was chosen last, and only a known one is taken', async () => {
    const { browser } = await signedIn();
    expect(await browser.send('PUT', '/me/language', { language: 'ar' })).toMatchObject({ status: 200 });
    expect(await browser.send('PUT', '/me/language', { language: 'xx' })).toMatchObject({ status: 400 });
    expect(await browser.send('GET', '/me')).toMatchObject({ body: { data: { language: 'ar', has_totp: false } } });
  });
});

describe('a step-up', () => {
  test('gives the session a new token, and the old one is worth nothing', async () => {
    const { browser, password } = await signedIn();
    const before = browser.cookie;
    expect(await browser.send('POST', '/session/step-up', { password })).toMatchObject({ status: 200 });
    expect(browser.cookie).not.toBe(before);
    expect(await browser.send('GET', '/me')).toMatchObject({ body: { data: { elevated: true } } });
    expect(await browser.send('GET', '/me', undefined, { cookie: before })).toMatchObject({ status: 401 });
  });

  test('is of this session alone', async () => {
    const person = await signedIn();
    const other = openBrowser(site);
    await signInByPassword({ ...person, browser: other });
    await person.browser.send('POST', '/session/step-up', { password: person.password });
    expect(await other.send('POST', '/me/totp', {})).toMatchObject({ status: 403 });
  });

  test('ends after ten minutes', async () => {
    const { browser, password, code } = await signedIn();
    await browser.send('POST', '/session/step-up', { password });
    await site.database.pool.query(
      `update sessions s set elevated_until = now() - interval '1 second' from people p
       where p.id = s.person_id and p.code = $1 and s.elevated_until is not null`,
      [code],
    );
    expect(await browser.send('POST', '/me/totp', {})).toMatchObject({ status: 403 });
  });

  test('never prolongs a session', async () => {
    const { browser, password, code } = await signedIn();
    const ends = async () => {
      const { rows } = await site.database.pool.query<{ ends: Date }>(
        `select s.absolute_until as ends from sessions s join people p on p.id = s.person_id where p.code = $1 and s.revoked_at is null`,
        [code],
      );
      return rows.map((row) => row.ends.getTime());
    };
    const before = await ends();
    await browser.send('POST', '/session/step-up', { password });
    expect(await ends()).toEqual(before);
  });

  test('of a person with an app needs its code, and a wrong password does not use the code up', async () => {
    const person = await signedIn();
    await giveApp(person);
    const { browser, password } = person;
    const totp = nextCode(person);
    expect(await browser.send('POST', '/session/step-up', { password })).toMatchObject({
      status: 403,
      body: { error_code: 'FACTOR_NEEDED' },
    });
    expect(await browser.send('POST', '/session/step-up', { password: 'a wrong long word', totp })).toMatchObject({
      status: 401,
    });
    expect(await browser.send('POST', '/session/step-up', { password, totp })).toMatchObject({ status: 200 });
  });
});

test('a step-up that lacks the code of the app uses up no guess at it', async () => {
  const person = await signedIn();
  await giveApp(person);
  const { browser, password } = person;
  for (let time = 0; time < 6; time += 1)
    expect(await browser.send('POST', '/session/step-up', { password })).toMatchObject({ status: 403 });
  const totp = nextCode(person);
  expect(await browser.send('POST', '/session/step-up', { password, totp })).toMatchObject({ status: 200 });
});

describe('an authenticator app', () => {
  test('proves nothing before its first code was typed', async () => {
    const person = await signedIn();
    const { browser, mail, password } = person;
    await browser.send('POST', '/session/step-up', { password });
    await browser.send('POST', '/me/totp', {});
    expect(await openBrowser(site).send('POST', '/session', { mail, password })).toMatchObject({
      body: { data: { next: 'done' } },
    });
  });

  test('is begun twenty times an hour, because every secret that was drawn is kept', async () => {
    const { browser, password } = await signedIn();
    await browser.send('POST', '/session/step-up', { password });
    const begun = await Promise.all(Array.from({ length: 25 }, () => browser.send('POST', '/me/totp', {})));
    expect(begun.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(await browser.send('POST', '/me/totp', {})).toMatchObject({ status: 429 });
  });

  test('is replaced by a new one with a new secret; the old one is good until then, and not afterwards', async () => {
    const person = await signedIn();
    await giveApp(person);
    const { browser, mail, password, totpSecret: old } = person;
    const begun = await browser.send('POST', '/me/totp', {});
    const secret = String(begun.body.data?.['secret']);
    expect(secret).not.toBe(old);
    const other = openBrowser(site);
    await other.send('POST', '/session', { mail, password });
    expect(await other.send('POST', '/session/factor', { totp: nextCode(person) })).toMatchObject({ status: 200 });
    const renewed = { ...person, totpSecret: secret };
    expect(await browser.send('POST', '/me/totp/confirm', { totp: nextCode(renewed) })).toMatchObject({ status: 200 });
    // The other session was signed in with the old app.
    expect(await other.send('GET', '/me')).toMatchObject({ status: 401 });
    const third = openBrowser(site);
    await third.send('POST', '/session', { mail, password });
    expect(await third.send('POST', '/session/factor', { totp: nextCode(person, 1) })).toMatchObject({ status: 401 });
    expect(await third.send('POST', '/session/factor', { totp: nextCode(renewed, 1) })).toMatchObject({ status: 200 });
  });

  test('cannot be confirmed with a code of another secret', async () => {
    const person = await signedIn();
    const { browser, password } = person;
    await browser.send('POST', '/session/step-up', { password });
    await browser.send('POST', '/me/totp', {});
    expect(await browser.send('POST', '/me/totp/confirm', { totp: '000000' })).toMatchObject({ status: 401 });
  });

  test('that is removed takes its recovery codes with it, and ends the other sessions', async () => {
    const person = await signedIn();
    await giveApp(person);
    const { browser, mail, password } = person;
    const other = openBrowser(site);
    await other.send('POST', '/session', { mail, password });
    await other.send('POST', '/session/factor', { totp: nextCode(person) });
    expect(await browser.send('DELETE', '/me/totp')).toMatchObject({ status: 200 });
    expect(await other.send('GET', '/me')).toMatchObject({ status: 401 });
    expect(await browser.send('GET', '/me')).toMatchObject({
      body: { data: { has_factor: false, recovery_codes_left: 0 } },
    });
  });

  test('has its secret sealed at rest', async () => {
    const person = await signedIn();
    await giveApp(person);
    const { rows } = await site.database.pool.query<{ sealed: Buffer }>('select sealed from secrets');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.some(({ sealed }) => sealed.includes(person.totpSecret ?? 'none'))).toBe(false);
  });
});

test('new recovery codes make the old ones worthless', async () => {
  const person = await signedIn();
  await giveApp(person);
  const { browser, mail, password, recoveryCodes: [old] = [] } = person;
  const drawn = await browser.send('POST', '/me/recovery-codes', {});
  const codes = drawn.body.data?.['recovery_codes'] as string[];
  expect(codes).toHaveLength(10);
  const other = openBrowser(site);
  await other.send('POST', '/session', { mail, password });
  expect(await other.send('POST', '/session/factor', { recovery: old })).toMatchObject({ status: 401 });
  expect(await other.send('POST', '/session/factor', { recovery: codes[0]?.toLowerCase() })).toMatchObject({
    status: 200,
  });
});

describe('a password', () => {
  test('that is changed ends all other sessions, and the old one is refused', async () => {
    const person = await signedIn();
    const { browser, mail, password } = person;
    const other = openBrowser(site);
    await signInByPassword({ ...person, browser: other });
    await browser.send('POST', '/session/step-up', { password });
    const renewed = 'yet another long word';
    expect(await browser.send('POST', '/me/password', { password: renewed })).toMatchObject({ status: 200 });
    expect(await browser.send('GET', '/me')).toMatchObject({ status: 200 });
    expect(await other.send('GET', '/me')).toMatchObject({ status: 401 });
    expect(await other.send('POST', '/session', { mail, password })).toMatchObject({ status: 401 });
    expect(await other.send('POST', '/session', { mail, password: renewed })).toMatchObject({ status: 200 });
  });

  test('that guessers try first is refused, and the old one stays', async () => {
    const { browser, mail, password } = await signedIn();
    await browser.send('POST', '/session/step-up', { password });
    expect(await browser.send('POST', '/me/password', { password: 'password1234' })).toMatchObject({
      status: 400,
      body: { error_code: 'PASSWORD_UNFIT', details: { fault: 'too-common' } },
    });
    expect(await openBrowser(site).send('POST', '/session', { mail, password })).toMatchObject({ status: 200 });
  });
});

describe('a link for a password', () => {
  test('works once, also when raced, and survives a password that is refused', async () => {
    const mail = `linked-${process.pid}@acme.test`;
    const { linkToken: token } = await createPerson({ database: site.database, clock: systemClock }, TESTER, {
      mail: { normal: mail, shown: mail },
      name: 'Linked',
      language: 'en',
      operatorRole: null,
    });
    const browser = openBrowser(site);
    expect(await browser.send('POST', '/reset', { token, password: 'short' })).toMatchObject({
      status: 400,
      body: { error_code: 'PASSWORD_UNFIT' },
    });
    const tries = await Promise.all(
      ['first long word', 'second long word'].map((password) => browser.send('POST', '/reset', { token, password })),
    );
    expect(tries.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 400]);
    expect(await browser.send('POST', '/reset', { token, password: 'third long word' })).toMatchObject({
      status: 400,
      body: { error_code: 'LINK_INVALID' },
    });
  });

  test.each([
    ['garbage', 'x'],
    ['an unknown token', 'A'.repeat(43)],
  ])('that is %s does nothing', async (_title, token) => {
    expect(await openBrowser(site).send('POST', '/reset', { token, password: 'first long word' })).toMatchObject({
      status: 400,
      body: { error_code: 'LINK_INVALID' },
    });
  });
});

describe('sessions', () => {
  test('are listed without their tokens, and a lost one can be ended', async () => {
    const person = await signedIn();
    const other = openBrowser(site, '10.77.0.1');
    await signInByPassword({ ...person, browser: other });
    const listed = await person.browser.send('GET', '/me/sessions');
    const sessions = listed.body.data?.['sessions'] as { session: string; address: string; present: boolean }[];
    expect(sessions.filter(({ present }) => present)).toHaveLength(1);
    expect(sessions).toHaveLength(2);
    expect(JSON.stringify(sessions)).not.toContain(other.cookie.split('=')[1]);
    const lost = sessions.find(({ address }) => address === '10.77.0.1');
    expect(await person.browser.send('DELETE', `/me/sessions/${lost?.session}`)).toMatchObject({ status: 200 });
    expect(await other.send('GET', '/me')).toMatchObject({ status: 401 });
  });

  test('of somebody else cannot be ended, and are not known to exist', async () => {
    const [one, another] = [await signedIn(), await signedIn()];
    const listed = await another.browser.send('GET', '/me/sessions');
    const sessions = listed.body.data?.['sessions'] as { session: string }[] | undefined;
    const foreign = await one.browser.send('DELETE', `/me/sessions/${sessions?.[0]?.session}`);
    const absent = await one.browser.send('DELETE', '/me/sessions/SES-ABSENT000000');
    expect(foreign.status).toBe(absent.status);
    expect(foreign.body).toEqual(absent.body);
    expect(await another.browser.send('GET', '/me')).toMatchObject({ status: 200 });
  });

  test('end when they are idle too long, and at their absolute end', async () => {
    const person = await signedIn();
    await site.database.pool.query(
      `update sessions s set idle_until = now() - interval '1 minute' from people p where p.id = s.person_id and p.code = $1`,
      [person.code],
    );
    expect(await person.browser.send('GET', '/me')).toMatchObject({ status: 401 });
  });
});
