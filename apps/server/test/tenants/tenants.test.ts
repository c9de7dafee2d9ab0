import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { ANSWER_FORMS } from '../../src/dashboard/answer-forms.ts';
import { DASHBOARD_ROUTES } from '../../src/dashboard/routes.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { addMember } from '../../src/people/add-member.ts';
import { insertLockLink } from '../../src/people/lock-link-sql.ts';
import { drawLinkToken, hashLinkToken } from '../../src/people/person.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { setStorePurpose } from '../../src/stores/set-store-purpose.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { Browser, DashboardSite } from '../../rig/people/dashboard-site.ts';
import { lastToken, openLateSite, sendWaiting } from '../../rig/people/late-mails.ts';
import { enter, makePerson, signInWithApp } from '../../rig/people/make-person.ts';
import { LIFTED_PLAN, nextAddress, openStore, TESTER } from '../../rig/stores/open-store.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { CELLS, fillParts } from './cells.ts';
import type { ActorName } from './expected-matrix.ts';
import { ACTORS, EXPECTED } from './expected-matrix.ts';

/** Every route of the dashboard, called by everybody: over real HTTP, with the own ids and with those of others. */

const ROUTES = DASHBOARD_ROUTES.map(({ method, url }) => `${method} ${url}`);
/** Routes whose answers have no envelope, and so no form. */
const RAW = new Set(DASHBOARD_ROUTES.filter(({ raw }) => raw).map(({ method, url }) => `${method} ${url}`));
const LETTERS: Readonly<Record<string, number>> = { y: 200, b: 400, s: 401, f: 403, n: 404, c: 409 };
const PASSWORD = 'a long word for everybody';

type Place = { account: string; store: string };

let site: DashboardSite;
let own: Place;
let foreign: Place;
let merchantAccountId: bigint;
let ownStore: TestStore;
let owner: Browser;
let ownerCode: string;

async function placeOf({ merchantAccountId: id, merchantId }: TestStore): Promise<Place> {
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [id]);
  return { account: rows[0]?.code ?? '', store: merchantId };
}

const context = () => ({ database: site.database, clock: systemClock, jobs: undefined });

beforeAll(async () => {
  site = await openLateSite(inject('template'), {
    COUNTERFOIL_STORE_PLAN: LIFTED_PLAN.code,
    COUNTERFOIL_CHECKOUT_URL: 'https://checkout.example',
  });
  const ring = await openKeyRing(site.path);
  const store = await openStore(site.database, { ring });
  const another = await openStore(site.database, { ring });
  ({ merchantAccountId } = store);
  [own, foreign] = [await placeOf(store), await placeOf(another)];
  ownStore = store;
  await setStorePurpose(context(), TESTER, { store: another.ref, purpose: 'topup' });
  ({ browser: owner, code: ownerCode } = await actor('owner'));
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

type Caller = { browser: Browser; mail: string; password: string; code: string; view?: string };

const ADDITION = 'POST /accounts/:account/stores/:store/method-changes';
const REMOVAL = 'DELETE /accounts/:account/stores/:store/methods/:network/:address';
const TWO_FACTOR = 'PUT /accounts/:account/two-factor';
/** Routes that require two-factor. */
const WITH_FACTOR = new Set([ADDITION, REMOVAL, TWO_FACTOR, ...CELLS.flatMap(({ withFactor = [] }) => withFactor)]);

/** Routes after which their caller is another: signed out, with a new token, a factor, or another password. */
const CHANGING = new Set([
  ...WITH_FACTOR,
  'POST /me/totp',
  'POST /session',
  'POST /session/step-up',
  'DELETE /session',
  'POST /me/password',
  'POST /operator/views',
  'DELETE /operator/views/:view',
]);
const callers = new Map<ActorName, Caller>();

/** The caller of a cell; a new one where the cell before has changed the last. */
async function callerOf(name: ActorName, route: string): Promise<Caller> {
  if (WITH_FACTOR.has(route)) callers.delete(name);
  const caller = callers.get(name) ?? (await actor(name, route));
  if (CHANGING.has(route) || route.endsWith('/accept-new')) callers.delete(name);
  else callers.set(name, caller);
  return caller;
}

const OPERATOR_ROLES: Partial<Record<ActorName, 'operator' | 'support'>> = {
  operator: 'operator',
  support: 'support',
  'read-only view': 'support',
};

/** Opens a support session; the user's session counts as one with two-factor. */
async function look({ browser, code }: Caller): Promise<string> {
  await site.database.pool.query(
    `update sessions s set proof = 'totp' from people p where p.id = s.person_id and p.code = $1`,
    [code],
  );
  const asked = { account: own.account, reason: 'A customer asked' };
  const { body } = await browser.send('POST', '/operator/views', asked);
  return String(body.data?.['view']);
}

/** A new person of a kind; all who are signed in have stepped up. */
async function actor(name: ActorName, route = ''): Promise<Caller> {
  const person = await makePerson(site, OPERATOR_ROLES[name] ?? null);
  const role = ROLES[name];
  if (role) await addMember(context(), TESTER, { merchantAccountId, personCode: person.code, role });
  if (name === 'another owner')
    await addMember(context(), TESTER, { merchantAccountId: foreignOwnerOf, personCode: person.code, role: 'owner' });
  if (name === 'nobody') return person;
  await (WITH_FACTOR.has(route) ? signInWithApp(person) : enter(site, person));
  if (name === 'expired session')
    await site.database.pool.query(
      `update sessions s set idle_until = now() - interval '1 hour' from people p where p.id = s.person_id and p.code = $1`,
      [person.code],
    );
  return name === 'read-only view' ? { ...person, view: await look(person) } : person;
}

let invitations = 0;
let addresses = 0;
const newAddress = () => `new-${(addresses += 1)}@acme.test`;

/** An invitation, with the emailed token. */
async function newInvitation(): Promise<{ code: string; token: string }> {
  invitations += 1;
  const body = { mail: `asked-${invitations}@acme.test`, role: 'viewer' };
  // More invitations than an owner may send in an hour.
  await site.database.pool.query('delete from attempt_budgets');
  const answer = await owner.send('POST', `/accounts/${own.account}/team/invitations`, body);
  const { invitation } = answer.body.data as { invitation: string };
  return { code: invitation, token: lastToken(await sendWaiting(site, body.mail)) };
}

/** A viewer with a passkey, whose factors could be reset. */
async function newViewer(): Promise<string> {
  const { code } = await makePerson(site);
  await site.database.pool.query(
    `insert into passkeys (person_id, credential_id, public_key, sign_count, backed_up, name, created_at)
     select id, sha256(code::bytea), 'key', 0, false, 'Phone', now() from people where code = $1`,
    [code],
  );
  await addMember(context(), TESTER, { merchantAccountId, personCode: code, role: 'viewer' });
  return code;
}

/** A new address where the own store receives. */
async function newWallet(): Promise<string> {
  const operator = { ...context(), networks: NETWORKS, jobs: undefined };
  const wallet = { store: ownStore.ref, network: 'BSC', address: nextAddress(), now: { reason: 'test' } };
  return (await addWallet(operator, TESTER, wallet)).address;
}

const CANCEL_ALL = `
  update method_changes set state = 'cancelled', decided_by = 'test', decided_at = now() - interval '2 days',
    requested_at = now() - interval '2 days' where state = 'pending'`;

/** A change of the own store that waits, and no other. */
async function newChange(): Promise<string> {
  await site.database.pool.query(CANCEL_ALL);
  const operator = { ...context(), networks: NETWORKS, jobs: undefined };
  const wallet = { store: ownStore.ref, network: 'ETH', address: nextAddress() };
  return (await addWallet(operator, TESTER, wallet)).waiting?.change ?? '';
}

/** The token of a link that locks the own merchant's methods. */
async function newLockToken(): Promise<string> {
  const token = drawLinkToken();
  const { rows } = await site.database.pool.query<{ id: bigint }>('select id from people where code = $1', [ownerCode]);
  const [person] = rows;
  const hash = hashLinkToken(token);
  if (!person || !hash) throw new Error('The owner is gone.');
  const at = new Date(systemClock.nowMs());
  const link = { hash, personId: person.id, merchantAccountId, expiresAt: new Date(at.getTime() + 60_000) };
  await insertLockLink(site.database.queries, link, at);
  return token;
}

async function setLock(locked: boolean): Promise<void> {
  await site.database.pool.query(
    `update merchants set methods_locked_at = case when $2 then now() end, methods_locked_by = case when $2 then 'test' end
     where id = $1`,
    [merchantAccountId, locked],
  );
}

async function setTwoFactorRequired(required: boolean): Promise<void> {
  await site.database.pool.query('update merchants set two_factor_required = $2 where id = $1', [
    merchantAccountId,
    required,
  ]);
}

const ABSENT_ANSWER = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  clientExtensionResults: {},
};
const ASSERTION = { ...ABSENT_ANSWER, response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' } };
const ATTESTATION = { ...ABSENT_ANSWER, response: { clientDataJSON: 'e30', attestationObject: 'AA' } };

const OK = 200;

/** An answer has the form that the API description says, and no field more. */
function expectForm(route: string, data: unknown): void {
  const { error } = (ANSWER_FORMS[route] ?? z.strictObject({})).safeParse(data);
  expect({ route, fault: error?.message }).toEqual({ route, fault: undefined });
}

function letterOf(status: number, code: string | undefined): string {
  if (code === 'READ_ONLY_VIEW') return 'v';
  return Object.keys(LETTERS).find((letter) => LETTERS[letter] === status) ?? `(${status})`;
}

/** The token of a link that a route is given in its body; undefined for a route without one that works. */
async function tokenFor(route: string): Promise<string | undefined> {
  if (route === 'POST /lock') return newLockToken();
  return route.startsWith('POST /invitations/') ? (await newInvitation()).token : undefined;
}

/** The body that a route takes; undefined for a route without one. */
async function bodyOf(route: string, { mail, password }: Caller): Promise<unknown> {
  const token = await tokenFor(route);
  const bodies: Record<string, unknown> = {
    'POST /session': { mail, password },
    'POST /session/factor': { totp: '123456' },
    'POST /session/step-up': { password },
    'POST /sign-up': { mail: newAddress(), name: 'New', language: 'en', password: PASSWORD },
    'POST /verify': { token: 'A'.repeat(43), password: PASSWORD },
    'POST /forgot': { mail },
    'POST /keep-factors': { token: 'A'.repeat(43) },
    'POST /undo': { token: 'A'.repeat(43) },
    'POST /undo/restore': { token: 'A'.repeat(43), totp: '000000' },
    'POST /undo/passkey/options': { token: 'A'.repeat(43) },
    'POST /undo/request': { token: 'A'.repeat(43) },
    'POST /undo/stop': { token: 'A'.repeat(43) },
    'PUT /me/language': { language: 'es' },
    'POST /me/email': { mail: newAddress() },
    'POST /me/email/confirm': { token: 'A'.repeat(43) },
    'POST /accounts/:account/team/:person/reset-factors': { reason: 'lost' },
    'POST /reset': { token: 'A'.repeat(43), password: PASSWORD },
    'POST /session/passkey/verify': { answer: ASSERTION },
    'POST /session/step-up/verify': { answer: ASSERTION },
    'POST /me/passkeys/verify': { answer: ATTESTATION, name: 'Phone' },
    'POST /me/totp/confirm': { totp: '123456' },
    'POST /accounts': { name: 'Acme', store: 'Acme shop' },
    'POST /me/recovery-codes/confirm': { recovery: 'AAAAA-AAAAA' },
    'POST /me/password': { password: PASSWORD },
    [ADDITION]: { network: 'ETH', address: nextAddress() },
    [TWO_FACTOR]: { required: true },
    'POST /accounts/:account/team/invitations': { mail: newAddress(), role: 'viewer' },
    'PATCH /accounts/:account/team/:person': { role: 'finance' },
    'POST /accounts/:account/stores': { name: 'New store', mode: 'live' },
    'PUT /me/notifications': { account: own.account, wanted: { balance: false } },
    'POST /operator/views': { account: own.account, reason: 'A customer asked' },
    'POST /lock': { token },
    'POST /invitations/open': { token },
    'POST /invitations/accept': { token },
    'POST /invitations/accept-new': { token, name: 'New', language: 'en', password: PASSWORD },
  };
  const ofNoun = CELLS.map((cells) => cells.bodies?.[route]).find((make) => make !== undefined);
  if (ofNoun) return ofNoun();
  return route.startsWith('POST') ? (bodies[route] ?? {}) : bodies[route];
}

/** The path of a route with ids that exist at a merchant. */
async function pathOf(route: string, place: Place): Promise<string> {
  const url = route.slice(route.indexOf(' ') + 1);
  const invitation = url.includes(':invitation') ? await newInvitation() : undefined;
  await setLock(url.endsWith('/unlock'));
  await setTwoFactorRequired(false);
  const change = /method-changes/.test(url) ? await newChange() : '';
  if (route === ADDITION) await site.database.pool.query(CANCEL_ALL);
  const person = url.includes(':person') ? await newViewer() : '';
  const filled = await fillParts(url, route, { site, store: ownStore, account: own.account });
  return filled
    .replace(':account', place.account)
    .replace(':store', place.store)
    .replace(':invitation', invitation?.code ?? '')
    .replace(':change', change)
    .replace(':network', 'BSC')
    .replace(':address', url.includes(':address') ? await newWallet() : '')
    .replace(':person', person)
    .replace(':session', 'SES-ABSENT000000')
    .replace(':passkey', '999999999');
}

const MARKED = [
  'people',
  'memberships',
  'membership_stores',
  'former_owners',
  'operator_views',
  'invitations',
  'totp',
  'passkeys',
  'recovery_codes',
  'link_tokens',
  'sign_ups',
  'address_changes',
  'factor_resets',
  'mails',
  'merchants',
  'stores',
  'api_keys',
  'webhook_secrets',
  'wallets',
  'method_changes',
  'receiving_addresses',
  'audit_entries',
  ...CELLS.flatMap(({ tables = [] }) => tables),
];

/**
 * How many rows there are that people can change, and which transaction wrote the newest of each table; sessions,
 * budgets and security events are written by refused requests too.
 */
async function markTables(): Promise<string> {
  const parts = MARKED.map((table) => `(select count(*) || ':' || coalesce(max(xmin::text::bigint), 0) from ${table})`);
  // The statement is prepared, because planning it takes longer than running it.
  const text = `select concat_ws(' ', ${parts.join(', ')}) as mark`;
  const { rows } = await site.database.pool.query<{ mark: string }>({ name: 'mark', text });
  return rows[0]?.mark ?? '';
}

/** Routes that change none of the marked tables, however they are answered. */
const WITHOUT_CHANGE = new Set([
  'POST /session',
  'POST /session/step-up',
  'DELETE /session',
  'POST /session/passkey/options',
  'POST /session/step-up/options',
  'POST /me/passkeys/options',
  ...CELLS.flatMap(({ withoutChange = [] }) => withoutChange),
]);

const figures = { routes: ROUTES.length, actors: ACTORS.length, cells: 0, leaks: 0, server_errors: 0 };
const matrix: string[] = [];

test('every route has a row in the matrix that was written by hand, and the matrix has no other', () => {
  expect(Object.keys(EXPECTED).toSorted()).toEqual(ROUTES.toSorted());
  expect(Object.values(EXPECTED).every((row) => row.length === ACTORS.length)).toBe(true);
});

test('the API description names only forms of routes that exist', () => {
  expect(Object.keys(ANSWER_FORMS).filter((route) => !ROUTES.includes(route))).toEqual([]);
});

describe.each(ROUTES)('%s', (route) => {
  const method = route.slice(0, route.indexOf(' '));

  test('answers each actor as the matrix says, and a refused request changes nothing', async () => {
    const found: string[] = [];
    for (const [position, name] of ACTORS.entries()) {
      const caller = await callerOf(name, route);
      const path = (await pathOf(route, own)).replace(':view', caller.view ?? 'VIE-ABSENT000000');
      const sent = await bodyOf(route, caller);
      const before = await markTables();
      const { status, body } = await caller.browser.send(method, path, sent);
      const changed = (await markTables()) !== before;
      if (status === OK && !RAW.has(route)) expectForm(route, body.data);
      figures.cells += 1;
      if (status >= 500) figures.server_errors += 1;
      found.push(letterOf(status, body.error_code));
      const mayChange = EXPECTED[route]?.[position] === 'y';
      if (changed && !mayChange) figures.leaks += 1;
      const mustChange = mayChange && method !== 'GET' && !WITHOUT_CHANGE.has(route);
      expect({ route, name, changed: changed && !mayChange }).toEqual({ route, name, changed: false });
      expect({ route, name, kept: mustChange && !changed }).toEqual({ route, name, kept: false });
    }
    matrix.push(`${route.padEnd(68)}${found.join(' ')}`);
    expect(found.join('')).toBe(EXPECTED[route]);
  });
});

describe.each(ROUTES.filter((route) => route.includes(':account')))('%s', (route) => {
  test('answers another merchant and an absent one with the same bytes', async () => {
    const method = route.slice(0, route.indexOf(' '));
    const caller = await callerOf('owner', route);
    const answers = [];
    for (const place of [foreign, { account: 'ACC-0000000000000000', store: 'MID-000000000000' }]) {
      const before = await markTables();
      const path = (await pathOf(route, own)).replace(own.account, place.account).replace(own.store, place.store);
      const sent = await bodyOf(route, caller);
      const made = await markTables();
      const { status, body } = await caller.browser.send(method, path, sent);
      const isSame = (await markTables()) === made;
      answers.push({ status, bytes: JSON.stringify(body), isSame });
      if (!isSame) figures.leaks += 1;
      expect(before).not.toBe('');
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({ status: 404, isSame: true });
  });
});

describe.each(ROUTES.filter((route) => route.includes(':account')))('%s', (route) => {
  test('refuses an owner without the two-factor authentication that the merchant requires, and changes nothing', async () => {
    const caller = await actor('owner');
    const path = await pathOf(route, own);
    const sent = await bodyOf(route, caller);
    await setTwoFactorRequired(true);
    const before = await markTables();
    const { status, body } = await caller.browser.send(route.slice(0, route.indexOf(' ')), path, sent);
    const isSame = (await markTables()) === before;
    await setTwoFactorRequired(false);
    expect({ status, code: body.error_code, isSame }).toEqual({
      status: 403,
      code: 'TWO_FACTOR_REQUIRED',
      isSame: true,
    });
  });
});

afterAll(() => {
  const heading = `${''.padEnd(68)}${ACTORS.map((name) => name[0]).join(' ')}  (${ACTORS.join(', ')})`;
  process.stdout.write(`${[heading, ...matrix, JSON.stringify(figures)].join('\n')}\n`);
});
