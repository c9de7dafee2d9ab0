import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { giveApp, makePerson, nextCode, signInByPassword } from '../../rig/people/make-person.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { DASHBOARD_ROUTES } from '../../src/dashboard/routes.ts';
import { addMember } from '../../src/people/add-member.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';

/** Support sessions: with a reason, for an hour, reported to the owners. */

let site: DashboardSite;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
});
afterAll(() => site.close());

let merchantAccountId: bigint;
let account: string;
let store: string;
let owner: RigPerson;
beforeEach(async () => {
  const opened = await openStore(site.database, { ring: await openKeyRing(site.path) });
  ({ merchantAccountId, merchantId: store } = opened);
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    merchantAccountId,
  ]);
  account = rows[0]?.code ?? '';
  owner = await makePerson(site);
  const context = { database: site.database, clock: systemClock, jobs: undefined };
  await addMember(context, TESTER, { merchantAccountId, personCode: owner.code, role: 'owner' });
});

const REASON = 'A customer asks for an invoice';

/** A staff member, signed in with an authenticator app and a recent step-up. */
async function operator(role: 'operator' | 'support' = 'support'): Promise<RigPerson> {
  const person = await makePerson(site, role);
  await signInByPassword(person);
  await giveApp(person);
  const { password, browser } = person;
  const { status } = await browser.send('POST', '/session/step-up', { password, totp: nextCode(person) });
  expect(status).toBe(200);
  return person;
}

const begin = (person: RigPerson, reason = REASON) =>
  person.browser.send('POST', '/operator/views', { account, reason });

const look = async (person: RigPerson) => (await person.browser.send('GET', `/accounts/${account}/stores`)).status;

describe('an operator who looks at a merchant', () => {
  test('sees its stores and team from then on, and saw nothing before', async () => {
    const person = await operator();
    expect(await look(person)).toBe(404);
    expect(await begin(person)).toMatchObject({ status: 200 });
    const { body } = await person.browser.send('GET', `/accounts/${account}/stores`);
    expect(body.data?.['stores']).toMatchObject([{ merchant_id: store }]);
    expect(await person.browser.send('GET', `/accounts/${account}/stores/${store}`)).toMatchObject({ status: 200 });
    expect(await person.browser.send('GET', `/accounts/${account}/team`)).toMatchObject({ status: 200 });
    const { body: listed } = await person.browser.send('GET', '/operator/views');
    expect(listed.data?.['views']).toMatchObject([{ account, reason: REASON }]);
  });

  test('is told by mail to every owner, and stands in the audit of the merchant', async () => {
    const second = await makePerson(site);
    const context = { database: site.database, clock: systemClock, jobs: undefined };
    await addMember(context, TESTER, { merchantAccountId, personCode: second.code, role: 'owner' });
    const person = await operator();
    const { body } = await begin(person);
    const view = body.data?.['view'];
    const { rows: mails } = await site.database.pool.query(
      `select to_address, state from mails where template = 'operator-view' and data ->> 'view' = $1 order by 1`,
      [view],
    );
    // This site has no mail server, and says so.
    expect(mails).toEqual([owner.mail, second.mail].toSorted().map((mail) => ({ to_address: mail, state: 'unsent' })));
    const { rows: entries } = await site.database.pool.query(
      `select actor, details from audit_entries where action = 'merchant.look' and subject = $1`,
      [`merchant:${merchantAccountId}`],
    );
    expect(entries).toMatchObject([{ actor: `person:${person.code}`, details: { reason: REASON, view } }]);
  });

  test('can change nothing, whatever they try', async () => {
    const person = await operator('operator');
    await begin(person);
    for (const [method, path, sent] of [
      ['POST', 'team/invitations', { mail: 'friend@acme.test', role: 'owner' }],
      ['PATCH', `team/${owner.code}`, { role: 'viewer' }],
      ['DELETE', `team/${owner.code}`, undefined],
      ['DELETE', `team/${person.code}`, undefined],
    ] as const)
      expect(await person.browser.send(method, `/accounts/${account}/${path}`, sent)).toMatchObject({
        status: 403,
        body: { error_code: 'READ_ONLY_VIEW' },
      });
    const { rows } = await site.database.pool.query('select role from memberships where merchant_account_id = $1', [
      merchantAccountId,
    ]);
    expect(rows).toEqual([{ role: 'owner' }]);
  });

  test('sees nothing in another session of theirs', async () => {
    const person = await operator();
    await begin(person);
    const other: RigPerson = { ...person, browser: openBrowser(site) };
    await signInByPassword(other);
    expect(await other.browser.send('POST', '/session/factor', { recovery: person.recoveryCodes?.[0] })).toMatchObject({
      status: 200,
    });
    expect(await look(other)).toBe(404);
    expect(await look(person)).toBe(200);
  });

  test('sees nothing after an hour', async () => {
    const person = await operator();
    await begin(person);
    await site.database.pool.query(`update operator_views set ends_at = ends_at - interval '60 minutes 1 second'`);
    expect(await look(person)).toBe(404);
  });

  test('sees nothing once they have ended it, or signed out', async () => {
    const person = await operator();
    const { body } = await begin(person);
    const path = `/operator/views/${String(body.data?.['view'])}`;
    expect(await person.browser.send('DELETE', path)).toMatchObject({ status: 200 });
    expect(await person.browser.send('DELETE', path)).toMatchObject({ status: 404 });
    expect(await look(person)).toBe(404);
    await begin(person);
    await person.browser.send('DELETE', '/session');
    expect(await look(person)).toBe(401);
  });

  test('sees nothing once they are no longer an operator', async () => {
    const person = await operator();
    await begin(person);
    await site.database.pool.query('update people set operator_role = null where code = $1', [person.code]);
    expect(await look(person)).toBe(404);
  });

  test('sees nothing of another merchant', async () => {
    const person = await operator();
    await begin(person);
    const other = await openStore(site.database, { ring: await openKeyRing(site.path) });
    const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
      other.merchantAccountId,
    ]);
    expect(await person.browser.send('GET', `/accounts/${rows[0]?.code}/stores`)).toMatchObject({ status: 404 });
    expect(await person.browser.send('GET', `/accounts/${account}/stores/${other.merchantId}`)).toMatchObject({
      status: 404,
    });
  });
});

describe('looking is refused', () => {
  test('to an operator without a second factor', async () => {
    const person = await makePerson(site, 'operator');
    await signInByPassword(person);
    await person.browser.send('POST', '/session/step-up', { password: person.password });
    expect(await begin(person)).toMatchObject({ status: 403, body: { error_code: 'FACTOR_NEEDED' } });
  });

  test('to an operator who has not just proven again who they are', async () => {
    const person = await operator();
    await site.database.pool.query(
      `update sessions s set elevated_until = now() - interval '1 hour' from people p where p.id = s.person_id and p.code = $1`,
      [person.code],
    );
    expect(await begin(person)).toMatchObject({ status: 403, body: { error_code: 'STEP_UP_NEEDED' } });
  });

  test('without a reason', async () => {
    expect(await begin(await operator(), '    ')).toMatchObject({ status: 400 });
  });

  test('to people of merchants, with the bytes of a path that does not exist', async () => {
    await signInByPassword(owner);
    const refused = await begin(owner);
    const absent = await owner.browser.send('POST', '/operator/nothing', { account, reason: REASON });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([404, JSON.stringify(absent.body)]);
  });

  test('of a merchant that does not exist', async () => {
    const person = await operator();
    const asked = { account: 'ACC-0000000000000000', reason: REASON };
    expect(await person.browser.send('POST', '/operator/views', asked)).toMatchObject({ status: 404 });
  });
});

/** Every staff route with its status by role: allowed is 200, absent is 404. */
const OPERATOR_ROUTES: Readonly<Record<string, { right: string; support: number; operator: number; member: number }>> =
  {
    'POST /operator/views': { right: 'look', support: 200, operator: 200, member: 404 },
    'GET /operator/views': { right: 'see', support: 200, operator: 200, member: 404 },
    'DELETE /operator/views/:view': { right: 'look', support: 200, operator: 200, member: 404 },
  };

describe('the routes for people who run the service', () => {
  const routes = DASHBOARD_ROUTES.filter(({ url, right }) => url.startsWith('/operator') || right !== undefined);

  test('are all listed here with their right, and whatever changes more than a support session needs the right to change', () => {
    const rights = routes.map(({ method, url, right }) => [`${method} ${url}`, right]);
    expect(Object.fromEntries(rights)).toEqual(
      Object.fromEntries(Object.entries(OPERATOR_ROUTES).map(([name, { right }]) => [name, right])),
    );
    for (const { method, url, right } of routes) {
      const expected = method === 'GET' ? 'see' : url.startsWith('/operator/views') ? 'look' : 'change';
      expect([method, url, right]).toEqual([method, url, expected]);
    }
  });

  test('answer support, operators and people of merchants as listed, whatever the body is', async () => {
    await signInByPassword(owner);
    const people = { support: await operator('support'), operator: await operator('operator'), member: owner };
    for (const role of ['support', 'operator', 'member'] as const) {
      const person = people[role];
      for (const [name, expected] of Object.entries(OPERATOR_ROUTES)) {
        const [method = '', url = ''] = name.split(' ');
        const body = method === 'POST' ? { account, reason: REASON } : undefined;
        const view = method === 'DELETE' ? String((await begin(person)).body.data?.['view']) : '';
        const answer = await person.browser.send(method, url.replace(':view', view), body);
        expect([role, name, answer.status]).toEqual([role, name, expected[role]]);
      }
    }
    expect(await owner.browser.send('POST', '/operator/views', { nothing: true })).toMatchObject({ status: 404 });
  });
});
