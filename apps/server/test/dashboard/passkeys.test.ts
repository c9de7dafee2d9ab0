import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Browser, DashboardSite } from '../../rig/people/dashboard-site.ts';
import { DASHBOARD_URL, openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { makePerson, signInByPassword } from '../../rig/people/make-person.ts';
import { queueAtPerson } from '../../rig/people/queue-at-person.ts';
import type { SoftwareAuthenticator } from '../../rig/people/software-authenticator.ts';
import { createSoftwareAuthenticator } from '../../rig/people/software-authenticator.ts';

/** Passkeys over real HTTP, with a device in software that answers as the specification says. */

let site: DashboardSite;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
});
afterAll(() => site.close());

const optionsOf = async (browser: Browser, path: string) =>
  (await browser.send('POST', `${path}/options`, {})).body.data;

async function addPasskey({ browser, password }: RigPerson, device: SoftwareAuthenticator) {
  await browser.send('POST', '/session/step-up', { password });
  const answer = device.create(await optionsOf(browser, '/me/passkeys'), DASHBOARD_URL);
  return browser.send('POST', '/me/passkeys/verify', { answer, name: 'Phone' });
}

async function personWithPasskey() {
  const person = await makePerson(site);
  const device = createSoftwareAuthenticator();
  await signInByPassword(person);
  expect(await addPasskey(person, device)).toMatchObject({ status: 200 });
  return { person, device };
}

async function signIn(browser: Browser, device: SoftwareAuthenticator, origin = DASHBOARD_URL, verified = true) {
  const answer = device.answer(await optionsOf(browser, '/session/passkey'), origin, verified);
  return browser.send('POST', '/session/passkey/verify', { answer });
}

describe('a passkey', () => {
  test('signs its person in by itself, without a name, and the session may do dangerous things', async () => {
    const { person, device } = await personWithPasskey();
    const browser = openBrowser(site);
    expect(await signIn(browser, device)).toMatchObject({ status: 200 });
    expect(await browser.send('GET', '/me')).toMatchObject({
      body: { data: { person: person.code, has_factor: true, elevated: true } },
    });
  });

  test('ends the session that the browser had before', async () => {
    const { person, device } = await personWithPasskey();
    const { browser } = person;
    const earlier = browser.cookie;
    expect(await signIn(browser, device)).toMatchObject({ status: 200 });
    expect(await browser.send('GET', '/me')).toMatchObject({ status: 200 });
    expect(await openBrowser(site).send('GET', '/me', undefined, { cookie: earlier })).toMatchObject({ status: 401 });
  });

  test('signs its person in sixty times an hour, and nobody else uses that up', async () => {
    const { person, device } = await personWithPasskey();
    const browser = openBrowser(site);
    expect(await signIn(browser, device)).toMatchObject({ status: 200 });
    const { rowCount } = await site.database.pool.query(
      `update attempt_budgets set used = 59
       where subject = (select 'signed-in-passkey:' || id from people where code = $1)`,
      [person.code],
    );
    expect(rowCount).toBe(1);
    expect(await signIn(browser, device)).toMatchObject({ status: 200 });
    expect(await signIn(browser, device)).toMatchObject({ status: 429, body: { error_code: 'TOO_MANY_ATTEMPTS' } });
    expect(await signIn(openBrowser(site), (await personWithPasskey()).device)).toMatchObject({ status: 200 });
  });

  test('is a second factor: the password alone no longer signs in', async () => {
    const { person } = await personWithPasskey();
    const { mail, password } = person;
    const browser = openBrowser(site);
    expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({
      body: { data: { next: 'factor' } },
    });
    expect(await browser.send('GET', '/me')).toMatchObject({ status: 401 });
  });

  test('lets its person step up, in this session alone', async () => {
    const { person, device } = await personWithPasskey();
    const browser = openBrowser(site);
    await signIn(browser, device);
    await site.database.pool.query('update sessions set elevated_until = null');
    const options = await optionsOf(browser, '/session/step-up');
    expect(options).toMatchObject({ allowCredentials: [{ type: 'public-key' }] });
    const answer = device.answer(options, DASHBOARD_URL);
    const other = openBrowser(site);
    await signIn(other, device);
    // The challenge was drawn for another session of the same person.
    expect(await other.send('POST', '/session/step-up/verify', { answer })).toMatchObject({ status: 401 });
    const again = device.answer(await optionsOf(browser, '/session/step-up'), DASHBOARD_URL);
    expect(await browser.send('POST', '/session/step-up/verify', { answer: again })).toMatchObject({ status: 200 });
    expect(await browser.send('GET', '/me')).toMatchObject({ body: { data: { person: person.code, elevated: true } } });
  });

  test('never prolongs a session by a step-up', async () => {
    const { person, device } = await personWithPasskey();
    const { browser, code } = person;
    const ends = async () => {
      const { rows } = await site.database.pool.query<{ ends: Date }>(
        `select s.absolute_until as ends from sessions s join people p on p.id = s.person_id where p.code = $1 and s.revoked_at is null`,
        [code],
      );
      return rows.map((row) => row.ends.getTime());
    };
    const before = await ends();
    const answer = device.answer(await optionsOf(browser, '/session/step-up'), DASHBOARD_URL);
    expect(await browser.send('POST', '/session/step-up/verify', { answer })).toMatchObject({ status: 200 });
    expect(await ends()).toEqual(before);
  });

  test('of somebody else does not step a person up', async () => {
    const { device: foreign } = await personWithPasskey();
    const { device } = await personWithPasskey();
    const browser = openBrowser(site);
    await signIn(browser, device);
    const answer = foreign.answer(await optionsOf(browser, '/session/step-up'), DASHBOARD_URL);
    expect(await browser.send('POST', '/session/step-up/verify', { answer })).toMatchObject({
      status: 401,
      body: { error_code: 'FACTOR_WRONG' },
    });
  });

  test('that is removed signs nobody in, and ends the sessions that it opened', async () => {
    const { person, device } = await personWithPasskey();
    const other = openBrowser(site);
    await signIn(other, device);
    const listed = await person.browser.send('GET', '/me/passkeys');
    const passkeys = listed.body.data?.['passkeys'] as { passkey: string; name: string }[];
    expect(passkeys).toMatchObject([{ name: 'Phone' }]);
    expect(await person.browser.send('DELETE', `/me/passkeys/${passkeys[0]?.passkey}`)).toMatchObject({ status: 200 });
    expect(await other.send('GET', '/me')).toMatchObject({ status: 401 });
    expect(await signIn(openBrowser(site), device)).toMatchObject({ status: 401 });
  });

  test('takes the recovery codes with it when no factor is left, and leaves them to the factors that are', async () => {
    const { person } = await personWithPasskey();
    const { browser } = person;
    const second = createSoftwareAuthenticator().create(await optionsOf(browser, '/me/passkeys'), DASHBOARD_URL);
    await browser.send('POST', '/me/passkeys/verify', { answer: second, name: 'Key' });
    await browser.send('POST', '/me/recovery-codes', {});
    const listed = await browser.send('GET', '/me/passkeys');
    const passkeys = listed.body.data?.['passkeys'] as { passkey: string }[] | undefined;
    const left: unknown[] = [];
    for (const { passkey } of passkeys ?? []) {
      await browser.send('DELETE', `/me/passkeys/${passkey}`);
      left.push((await browser.send('GET', '/me')).body.data?.['recovery_codes_left']);
    }
    expect(left).toEqual([10, 0]);
  });

  test('signs nobody in at the moment at which it is removed', async () => {
    const { person, device } = await personWithPasskey();
    const listed = await person.browser.send('GET', '/me/passkeys');
    const passkeys = listed.body.data?.['passkeys'] as { passkey: string }[] | undefined;
    const thief = openBrowser(site);
    const answers = await queueAtPerson(site, person, [
      () => person.browser.send('DELETE', `/me/passkeys/${passkeys?.[0]?.passkey}`),
      () => signIn(thief, device),
    ]);
    expect(answers).toMatchObject([{ status: 200 }, { status: 401, body: { error_code: 'SIGN_IN_REFUSED' } }]);
    expect(await thief.send('GET', '/me')).toMatchObject({ status: 401 });
  });

  test('of somebody else cannot be removed', async () => {
    const [one, another] = [await personWithPasskey(), await personWithPasskey()];
    const listed = await another.person.browser.send('GET', '/me/passkeys');
    const passkeys = listed.body.data?.['passkeys'] as { passkey: string }[] | undefined;
    const foreign = await one.person.browser.send('DELETE', `/me/passkeys/${passkeys?.[0]?.passkey}`);
    const absent = await one.person.browser.send('DELETE', '/me/passkeys/999999999');
    expect(foreign.status).toBe(404);
    expect(foreign.body).toEqual(absent.body);
    expect(await signIn(openBrowser(site), another.device)).toMatchObject({ status: 200 });
  });
});

describe('an answer is refused', () => {
  test('that was sent before: its challenge is used up', async () => {
    const { device } = await personWithPasskey();
    const browser = openBrowser(site);
    const answer = device.answer(await optionsOf(browser, '/session/passkey'), DASHBOARD_URL);
    const both = await Promise.all(
      [0, 1].map(() => openBrowser(site).send('POST', '/session/passkey/verify', { answer })),
    );
    expect(both.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 401]);
    expect(await browser.send('POST', '/session/passkey/verify', { answer })).toMatchObject({ status: 401 });
  });

  test('that another site got from the device', async () => {
    const { device } = await personWithPasskey();
    expect(await signIn(openBrowser(site), device, 'https://evil.test')).toMatchObject({ status: 401 });
  });

  test('without the finger on the reader', async () => {
    const { device } = await personWithPasskey();
    expect(await signIn(openBrowser(site), device, DASHBOARD_URL, false)).toMatchObject({ status: 401 });
  });

  test('of a copied key, once the count of either has moved on', async () => {
    const { device } = await personWithPasskey();
    const copy = device.copy();
    expect(await signIn(openBrowser(site), device)).toMatchObject({ status: 200 });
    expect(await signIn(openBrowser(site), copy)).toMatchObject({ status: 401 });
  });

  test('to a challenge that nobody drew', async () => {
    const { device } = await personWithPasskey();
    const challenge = Buffer.alloc(32, 7).toString('base64url');
    const answer = device.answer({ challenge, rpId: 'localhost' }, DASHBOARD_URL);
    expect(await openBrowser(site).send('POST', '/session/passkey/verify', { answer })).toMatchObject({ status: 401 });
  });

  test('to a challenge that was drawn for something else', async () => {
    const { device } = await personWithPasskey();
    const browser = openBrowser(site);
    await signIn(browser, device);
    const answer = device.answer(await optionsOf(browser, '/session/step-up'), DASHBOARD_URL);
    expect(await openBrowser(site).send('POST', '/session/passkey/verify', { answer })).toMatchObject({ status: 401 });
  });

  test('of a person who is disabled', async () => {
    const { person, device } = await personWithPasskey();
    await site.database.pool.query('update people set disabled_at = now() where code = $1', [person.code]);
    expect(await signIn(openBrowser(site), device)).toMatchObject({ status: 401 });
  });
});

/** A browser with the right password and two-factor still missing. */
async function halfway({ mail, password }: RigPerson): Promise<Browser> {
  const browser = openBrowser(site);
  expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({
    body: { data: { next: 'factor' } },
  });
  return browser;
}

const answerOf = async (browser: Browser, device: SoftwareAuthenticator) =>
  device.answer(await optionsOf(browser, '/session/factor'), DASHBOARD_URL);

describe('a passkey after the password', () => {
  test('completes the sign-in, with a new token', async () => {
    const { person, device } = await personWithPasskey();
    const browser = await halfway(person);
    const half = browser.cookie;
    expect(await optionsOf(browser, '/session/factor')).toMatchObject({ allowCredentials: [{ type: 'public-key' }] });
    const answer = await answerOf(browser, device);
    expect(await browser.send('POST', '/session/factor', { answer })).toMatchObject({ status: 200 });
    expect(browser.cookie).not.toBe(half);
    expect(await browser.send('GET', '/me')).toMatchObject({ body: { data: { person: person.code, elevated: true } } });
  });

  test('answers a challenge once, also when it is sent twice at the same moment', async () => {
    const { person, device } = await personWithPasskey();
    const browser = await halfway(person);
    const answer = await answerOf(browser, device);
    const cookie = browser.cookie;
    const both = await Promise.all(
      [0, 1].map(() => openBrowser(site).send('POST', '/session/factor', { answer }, { cookie })),
    );
    expect(both.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 401]);
    const again = await halfway(person);
    expect(await again.send('POST', '/session/factor', { answer })).toMatchObject({ status: 401 });
  });

  test('is refused for the challenge of another sign-in of the same person', async () => {
    const { person, device } = await personWithPasskey();
    const [one, another] = [await halfway(person), await halfway(person)];
    const answer = await answerOf(one, device);
    expect(await another.send('POST', '/session/factor', { answer })).toMatchObject({
      status: 401,
      body: { error_code: 'FACTOR_WRONG' },
    });
  });

  test('is refused for the challenge of a sign-in by passkey alone, and the other way round', async () => {
    const { person, device } = await personWithPasskey();
    const browser = await halfway(person);
    const alone = device.answer(await optionsOf(openBrowser(site), '/session/passkey'), DASHBOARD_URL);
    expect(await browser.send('POST', '/session/factor', { answer: alone })).toMatchObject({ status: 401 });
    const factor = await answerOf(browser, device);
    const other = await openBrowser(site).send('POST', '/session/passkey/verify', { answer: factor });
    expect(other).toMatchObject({ status: 401 });
  });

  test('of somebody else is refused', async () => {
    const [{ person }, { device: foreign }] = [await personWithPasskey(), await personWithPasskey()];
    const browser = await halfway(person);
    const answer = await answerOf(browser, foreign);
    expect(await browser.send('POST', '/session/factor', { answer })).toMatchObject({ status: 401 });
  });

  test('is not asked for without a password that was right', async () => {
    const { person } = await personWithPasskey();
    expect(await openBrowser(site).send('POST', '/session/factor/options', {})).toMatchObject({ status: 401 });
    expect(await person.browser.send('POST', '/session/factor/options', {})).toMatchObject({ status: 401 });
  });
});

describe('a new passkey', () => {
  test('needs a step-up to be begun and to be added', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    expect(await person.browser.send('POST', '/me/passkeys/options', {})).toMatchObject({
      status: 403,
      body: { error_code: 'STEP_UP_NEEDED' },
    });
  });

  test('of a device that another person registered is refused', async () => {
    const { device } = await personWithPasskey();
    const thief = await makePerson(site);
    await signInByPassword(thief);
    await thief.browser.send('POST', '/session/step-up', { password: thief.password });
    const options = await optionsOf(thief.browser, '/me/passkeys');
    const made = device.create(options, DASHBOARD_URL);
    expect(await thief.browser.send('POST', '/me/passkeys/verify', { answer: made, name: 'One' })).toMatchObject({
      status: 200,
    });
    expect(await thief.browser.send('POST', '/me/passkeys/verify', { answer: made, name: 'Two' })).toMatchObject({
      status: 401,
    });
  });
});
