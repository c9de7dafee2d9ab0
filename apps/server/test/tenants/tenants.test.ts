import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { DASHBOARD_ROUTES } from '../../src/dashboard/routes.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { addMember } from '../../src/people/add-member.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import type { Browser, DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import { makePerson, signInByPassword } from '../../rig/people/make-person.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { ActorName } from './expected-matrix.ts';
import { ACTORS, EXPECTED } from './expected-matrix.ts';

/** Every route of the dashboard, called by everybody: over real HTTP, with the own ids and with those of others. */

const ROUTES = DASHBOARD_ROUTES.map(({ method, url }) => `${method} ${url}`);
const LETTERS: Readonly<Record<string, number>> = { y: 200, b: 400, s: 401, f: 403, n: 404, c: 409 };
const PASSWORD = 'a long word for everybody';

type Place = { account: string; store: string };

let site: DashboardSite;
let own: Place;
let foreign: Place;
let merchantAccountId: bigint;
let owner: Browser;

async function placeOf({ merchantAccountId: id, merchantId }: TestStore): Promise<Place> {
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [id]);
  return { account: rows[0]?.code ?? '', store: merchantId };
}

const context = () => ({ database: site.database, clock: systemClock });

beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
  const ring = await openKeyRing(site.path);
  const store = await openStore(site.database, { ring });
  const another = await openStore(site.database, { ring });
  ({ merchantAccountId } = store);
  [own, foreign] = [await placeOf(store), await placeOf(another)];
  owner = (await actor('owner')).browser;
  foreignOwnerOf = another.merchantAccountId;
});
afterAll(() => site.close());

let foreignOwnerOf: bigint;
const ROLES: Partial<Record<ActorName, 'owner' | 'admin' | 'developer' | 'finance' | 'viewer'>> = {
  owner: 'owner',
  admin: 'admin',
  developer: 'developer',
  finance: 'finance',
  viewer: 'viewer',
};

type Caller = { browser: Browser; mail: string; password: string; code: string };

/** Routes after which their caller is another: signed out, with a new token, or with another password. */
const CHANGING = new Set([
  'POST /me/totp',
  'POST /session',
  'POST /session/step-up',
  'DELETE /session',
  'POST /me/password',
]);
const callers = new Map<ActorName, Caller>();

/** The caller of a cell; a new one where the cell before has changed the last. */
async function callerOf(name: ActorName, route: string): Promise<Caller> {
  const caller = callers.get(name) ?? (await actor(name));
  if (CHANGING.has(route) || route.endsWith('/new')) callers.delete(name);
  else callers.set(name, caller);
  return caller;
}

/** A new person of a kind; all who are signed in have stepped up. */
async function actor(name: ActorName): Promise<Caller> {
  const operatorRole = name === 'operator' || name === 'support' ? name : null;
  const person = await makePerson(site, operatorRole);
  const role = ROLES[name];
  if (role) await addMember(context(), TESTER, { merchantAccountId, personCode: person.code, role });
  if (name === 'another owner')
    await addMember(context(), TESTER, { merchantAccountId: foreignOwnerOf, personCode: person.code, role: 'owner' });
  if (name === 'nobody') return person;
  await signInByPassword(person);
  await person.browser.send('POST', '/session/step-up', { password: person.password });
  if (name === 'expired session')
    await site.database.pool.query(
      `update sessions s set idle_until = now() from people p where p.id = s.person_id and p.code = $1`,
      [person.code],
    );
  return person;
}

let invitations = 0;

async function newInvitation(): Promise<{ code: string; token: string }> {
  invitations += 1;
  const body = { mail: `asked-${invitations}@acme.test`, role: 'viewer' };
  const answer = await owner.send('POST', `/accounts/${own.account}/team/invitations`, body);
  const { invitation, link } = answer.body.data as { invitation: string; link: string };
  return { code: invitation, token: link.split('/').at(-1) ?? '' };
}

async function newViewer(): Promise<string> {
  const { code } = await makePerson(site);
  await addMember(context(), TESTER, { merchantAccountId, personCode: code, role: 'viewer' });
  return code;
}

const ABSENT_ANSWER = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  clientExtensionResults: {},
};
const ASSERTION = { ...ABSENT_ANSWER, response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' } };
const ATTESTATION = { ...ABSENT_ANSWER, response: { clientDataJSON: 'e30', attestationObject: 'AA' } };

/** The body that a route takes; undefined for a route without one. */
function bodyOf(route: string, { mail, password }: Caller): unknown {
  const bodies: Record<string, unknown> = {
    'POST /session': { mail, password },
    'POST /session/factor': { totp: '123456' },
    'POST /session/step-up': { password },
    'POST /reset': { token: 'A'.repeat(43), password: PASSWORD },
    'POST /session/passkey/verify': { answer: ASSERTION },
    'POST /session/step-up/verify': { answer: ASSERTION },
    'POST /me/passkeys/verify': { answer: ATTESTATION, name: 'Phone' },
    'POST /me/totp/confirm': { totp: '123456' },
    'POST /me/password': { password: PASSWORD },
    'POST /accounts/:account/team/invitations': { mail: `new-${invitations}@acme.test`, role: 'viewer' },
    'PATCH /accounts/:account/team/:person': { role: 'finance' },
    'POST /invitations/:token/new': { name: 'New', language: 'en', password: PASSWORD },
  };
  return route.startsWith('POST') ? (bodies[route] ?? {}) : bodies[route];
}

/** The path of a route with ids that exist at a merchant. */
async function pathOf(route: string, place: Place): Promise<string> {
  const url = route.slice(route.indexOf(' ') + 1);
  const invitation = url.includes(':invitation') || url.includes(':token') ? await newInvitation() : undefined;
  const person = url.includes(':person') ? await newViewer() : '';
  return url
    .replace(':account', place.account)
    .replace(':store', place.store)
    .replace(':invitation', invitation?.code ?? '')
    .replace(':token', invitation?.token ?? '')
    .replace(':person', person)
    .replace(':session', 'SES-ABSENT000000')
    .replace(':passkey', '999999999');
}

const HASHED = [
  'people',
  'memberships',
  'membership_stores',
  'invitations',
  'totp',
  'passkeys',
  'recovery_codes',
  'link_tokens',
  'merchants',
  'stores',
  'api_keys',
  'webhook_secrets',
  'wallets',
  'audit_entries',
];

/** A hash of all rows that people can change; sessions, budgets and security events are written by refused requests too. */
async function hashTables(): Promise<string> {
  const parts = HASHED.map(
    (table) => `(select coalesce(md5(string_agg(t::text, '|' order by t::text)), '') from ${table} t)`,
  );
  const { rows } = await site.database.pool.query<{ hash: string }>(
    `select concat_ws(' ', ${parts.join(', ')}) as hash`,
  );
  return rows[0]?.hash ?? '';
}

/** Routes that change none of the hashed tables, however they are answered. */
const WITHOUT_CHANGE = new Set([
  'POST /session',
  'POST /session/step-up',
  'DELETE /session',
  'POST /session/passkey/options',
  'POST /session/step-up/options',
  'POST /me/passkeys/options',
]);

const figures = { routes: ROUTES.length, actors: ACTORS.length, cells: 0, leaks: 0, server_errors: 0 };
const matrix: string[] = [];

test('every route has a row in the matrix that was written by hand, and the matrix has no other', () => {
  expect(Object.keys(EXPECTED).toSorted()).toEqual(ROUTES.toSorted());
  expect(Object.values(EXPECTED).every((row) => row.length === ACTORS.length)).toBe(true);
});

describe.each(ROUTES)('%s', (route) => {
  const method = route.slice(0, route.indexOf(' '));

  test('answers each actor as the matrix says, and a refused request changes nothing', async () => {
    const found: string[] = [];
    for (const [position, name] of ACTORS.entries()) {
      const caller = await callerOf(name, route);
      const path = await pathOf(route, own);
      const before = await hashTables();
      const { status } = await caller.browser.send(method, path, bodyOf(route, caller));
      const changed = (await hashTables()) !== before;
      figures.cells += 1;
      if (status >= 500) figures.server_errors += 1;
      found.push(Object.keys(LETTERS).find((letter) => LETTERS[letter] === status) ?? `(${status})`);
      const mayChange = EXPECTED[route]?.[position] === 'y';
      if (changed && !mayChange) figures.leaks += 1;
      const mustChange = mayChange && method !== 'GET' && !WITHOUT_CHANGE.has(route);
      expect({ route, name, changed: changed && !mayChange }).toEqual({ route, name, changed: false });
      expect({ route, name, kept: mustChange && !changed }).toEqual({ route, name, kept: false });
    }
    matrix.push(`${route.padEnd(58)}${found.join(' ')}`);
    expect(found.join('')).toBe(EXPECTED[route]);
  });
});

describe.each(ROUTES.filter((route) => route.includes(':account')))('%s', (route) => {
  test('answers another merchant and an absent one with the same bytes', async () => {
    const method = route.slice(0, route.indexOf(' '));
    const caller = await callerOf('owner', route);
    const answers = [];
    for (const place of [foreign, { account: 'ACC-0000000000000000', store: 'MID-000000000000' }]) {
      const before = await hashTables();
      const path = (await pathOf(route, own)).replace(own.account, place.account).replace(own.store, place.store);
      const made = await hashTables();
      const { status, body } = await caller.browser.send(method, path, bodyOf(route, caller));
      const isSame = (await hashTables()) === made;
      answers.push({ status, bytes: JSON.stringify(body), isSame });
      if (!isSame) figures.leaks += 1;
      expect(before).not.toBe('');
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({ status: 404, isSame: true });
  });
});

afterAll(() => {
  const heading = `${''.padEnd(58)}${ACTORS.map((name) => name[0]).join(' ')}  (${ACTORS.join(', ')})`;
  process.stdout.write(`${[heading, ...matrix, JSON.stringify(figures)].join('\n')}\n`);
});
