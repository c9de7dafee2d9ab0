import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Browser, DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser } from '../../rig/people/dashboard-site.ts';
import { openLateSite, sendWaiting } from '../../rig/people/late-mails.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { enter, giveApp, makePerson, signInByPassword } from '../../rig/people/make-person.ts';
import { securityEventCommands } from '../../src/commands/security-event-commands.ts';
import { ensurePartitions } from '../../src/db/partition-sql.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import { eraseSecurityEvents } from '../../src/people/erase-security-events.ts';
import { mailMark, SPRAYED_FROM_ADDRESS } from '../../src/people/security-event.ts';
import { watchSignIns } from '../../src/people/watch-sign-ins.ts';

/** Sign-ins and other security events: who sees them, what users are notified of, and how long they are kept. */

let site: DashboardSite;
beforeAll(async () => {
  site = await openLateSite(inject('template'));
});
afterAll(() => site.close());

const WRONG = 'another long word';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const DAY_MS = 86_400_000;

type Event = { at: number; kind: string; address: string; agent: string; person?: string };
type Page = { events: Event[]; next: string | null };

async function list({ browser }: RigPerson, path = '/me/security-events'): Promise<Page> {
  const { status, body } = await browser.send('GET', path);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.data as unknown as Page;
}

const signIn = (browser: Browser, { mail, password }: RigPerson, agent = FIREFOX) =>
  browser.send('POST', '/session', { mail, password }, { 'user-agent': agent });

/** Records events of a person, one each minute before now. */
async function insertEvents({ code }: RigPerson, count: number, daysAgo = 0): Promise<void> {
  await site.database.pool.query(
    `insert into security_events (at, person_id, kind, address, agent)
     select now() - make_interval(days => $3, mins => minute), p.id, 'sign-in-refused', '192.0.2.1', 'rig ' || minute
     from people p, generate_series(1, $2) minute where p.code = $1`,
    [code, count, daysAgo],
  );
}

async function countEvents({ code }: RigPerson): Promise<number> {
  const { rows } = await site.database.pool.query<{ count: number }>(
    `select count(*)::integer as count from security_events e join people p on p.id = e.person_id where p.code = $1`,
    [code],
  );
  return rows[0]?.count ?? 0;
}

describe('the security events of a user', () => {
  test('are their own sign-ins and refused ones with browser and IP address, and nobody else sees them', async () => {
    const [person, other] = [await makePerson(site), await makePerson(site)];
    const { browser, mail } = person;
    await browser.send('POST', '/session', { mail, password: WRONG }, { 'user-agent': 'a script' });
    await signIn(browser, person);
    await signInByPassword(other);
    const { events, next } = await list(person);
    expect(new Set(events.map(({ kind, agent }) => `${kind}: ${agent}`))).toEqual(
      new Set([`sign-in: ${FIREFOX}`, 'sign-in-refused: a script']),
    );
    expect(new Set(events.map(({ address }) => address))).toEqual(new Set([browser.address]));
    expect(next).toBeNull();
    expect((await list(other)).events.map(({ kind }) => kind)).toEqual(['sign-in']);
  });

  test('have pages, each event once and the newest first, and none that is older than 180 days', async () => {
    const person = await makePerson(site);
    await insertEvents(person, 60);
    await insertEvents(person, 2, 181);
    await enter(site, person);
    const first = await list(person);
    const second = await list(person, `/me/security-events?after=${first.next}`);
    expect([first.events.length, second.events.length, second.next]).toEqual([50, 10, null]);
    const minutes = [...first.events, ...second.events].map(({ agent }) => agent);
    expect(minutes).toEqual(Array.from({ length: 60 }, (_, place) => `rig ${place + 1}`));
  });
});

describe('the security events of a team', () => {
  test('are shown to its owners, each with its member, and not those from before the member joined', async () => {
    const owner = await makeMember(site, 'owner');
    const member = await makeMember(site, 'developer', owner);
    const stranger = await makeMember(site, 'owner');
    await insertEvents(member.person, 1, 3);
    await signInByPassword(member.person);
    await signInByPassword(stranger.person);
    const path = `/accounts/${owner.account}/security-events`;
    const { events } = await list(owner.person, path);
    // The member had a session at this browser, which the sign-in ended.
    const { code } = member.person;
    expect(new Set(events.map(({ kind, person }) => `${kind} of ${person}`))).toEqual(
      new Set([`sign-in of ${code}`, `sign-out of ${code}`]),
    );
    expect(await member.person.browser.send('GET', path)).toMatchObject({ status: 403 });
    expect(await stranger.person.browser.send('GET', path)).toMatchObject({ status: 404 });
  });

  test.each(['admin', 'finance', 'viewer'] as const)('are not shown to a member with the role %s', async (role) => {
    const { person, account } = await makeMember(site, role);
    expect(await person.browser.send('GET', `/accounts/${account}/security-events`)).toMatchObject({
      status: 403,
      body: { error_code: 'NO_PERMISSION' },
    });
  });
});

const subjects = async ({ mail }: RigPerson) => (await sendWaiting(site, mail)).map(({ subject }) => subject);

describe('a user is notified by email', () => {
  const NOTICE = ['New sign-in to your account'];

  test('of a sign-in from a browser or network that is new, and not of the first one or of one that is known', async () => {
    const person = await makePerson(site);
    const at = (address: string) => openBrowser(site, address);
    expect(await signIn(at('192.0.2.1'), person)).toMatchObject({ status: 200 });
    expect(await signIn(at('192.0.2.99'), person, FIREFOX.replaceAll('140', '141'))).toMatchObject({ status: 200 });
    expect(await subjects(person)).toEqual([]);
    expect(await signIn(at('203.0.113.1'), person)).toMatchObject({ status: 200 });
    const mails = await sendWaiting(site, person.mail);
    expect(mails.map(({ subject }) => subject)).toEqual(NOTICE);
    expect(mails[0]?.text).toContain('Firefox, Linux');
    expect(mails[0]?.text).toContain('203.0.113.1');
    expect(await signIn(at('203.0.113.2'), person)).toMatchObject({ status: 200 });
    expect(await subjects(person)).toEqual([]);
    expect(await signIn(at('203.0.113.2'), person, 'another browser')).toMatchObject({ status: 200 });
    expect(await subjects(person)).toEqual(NOTICE);
  });

  test('once the second factor is given, and not for the password alone', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    await giveApp(person);
    await subjects(person);
    const browser = openBrowser(site, '203.0.113.77');
    expect(await signIn(browser, person)).toMatchObject({ body: { data: { next: 'factor' } } });
    expect(await subjects(person)).toEqual([]);
    const [recovery = ''] = person.recoveryCodes ?? [];
    expect(await browser.send('POST', '/session/factor', { recovery })).toMatchObject({ status: 200 });
    expect((await subjects(person)).toSorted()).toEqual(['A recovery code was used', ...NOTICE]);
  });
});

describe('an operator', () => {
  test('lists the events of one user or of all', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    const [command] = securityEventCommands;
    const run = (values: Record<string, string>) =>
      command?.run({ database: site.as('admin'), clock: systemClock }, values);
    const event = expect.objectContaining({ kind: 'sign-in', person: person.code, agent: 'rig' });
    expect(await run({ person: person.code, hours: '1' })).toEqual([event]);
    expect(await run({ person: person.mail, hours: '1' })).toEqual([event]);
    expect(await run({ hours: '1' })).toEqual(expect.arrayContaining([event]));
  });

  test('finds a sign-in of one kind behind many newer events', async () => {
    const person = await makePerson(site);
    await signInByPassword(person);
    await site.database.pool.query(
      `insert into security_events (at, kind, address, agent) select now(), 'factor-refused', '198.51.100.9', 'rig' from generate_series(1, 250)`,
    );
    const [command] = securityEventCommands;
    const found = await command?.run(
      { database: site.as('admin'), clock: systemClock },
      { hours: '1', kind: 'sign-in' },
    );
    expect(found).toContainEqual(expect.objectContaining({ kind: 'sign-in', person: person.code }));
    expect(found).not.toContainEqual(expect.objectContaining({ kind: 'factor-refused' }));
  });

  test('sees refused sign-ins counted by what was tried', async () => {
    const { browser, mail } = await makePerson(site);
    await browser.send('POST', '/session', { mail, password: WRONG });
    const metrics = await (await fetch(`${site.server.operationsUrl}/metrics`)).text();
    expect(metrics).toMatch(/counterfoil_sign_ins_refused_total\{kind="password",reason="wrong"\} [1-9]/);
  });

  test('gets one alarm when sign-ins are refused for many mail addresses, which need belong to nobody', async () => {
    const context = { database: site.as('worker'), clock: systemClock };
    const alarms = async () => {
      const { rows } = await site.database.pool.query(`select details from alarms where kind = 'password-spraying'`);
      return rows;
    };
    const refuse = (address: string, mails: readonly string[]) =>
      site.database.pool.query(
        `insert into security_events (at, kind, address, agent, mail_mark)
         select now(), 'sign-in-refused', $1, 'rig', mark from unnest($2::bytea[]) mark`,
        [address, mails.map((mail) => mailMark(mail))],
      );
    await refuse(
      '198.51.100.1',
      Array.from({ length: SPRAYED_FROM_ADDRESS }, () => 'one@acme.test'),
    );
    await watchSignIns(context);
    expect(await alarms()).toEqual([]);
    await refuse(
      '198.51.100.2',
      Array.from({ length: SPRAYED_FROM_ADDRESS }, (_, place) => `nobody-${place}@acme.test`),
    );
    await watchSignIns(context);
    await watchSignIns(context);
    const busiest = { network: '198.51.100.2', mails: SPRAYED_FROM_ADDRESS };
    expect(await alarms()).toMatchObject([{ details: { busiest } }]);
  });
});

test('a month of security events is dropped whole once all of it is older than 180 days', async () => {
  const monthsOf = async () => {
    const { rows } = await site.database.pool.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'security_events'::regclass order by 1`,
    );
    return rows.map(({ name }) => name);
  };
  const before = await monthsOf();
  await ensurePartitions(site.database.pool, new Date('2021-03-10T00:00:00Z'));
  const old = (await monthsOf()).filter((name) => !before.includes(name));
  expect(old[0]).toBe('security_events_2021_03');
  const dropped: boolean[] = [];
  for (const _ of old) dropped.push(await eraseSecurityEvents({ database: site.as('worker'), clock: systemClock }));
  expect(dropped).toEqual(old.map(() => true));
  expect(await monthsOf()).toEqual(before);
});

test('a refused sign-in is recorded with the mark of the mail address, also where nobody has the address', async () => {
  const mail = 'nobody-here@acme.test';
  await openBrowser(site).send('POST', '/session', { mail, password: WRONG });
  const { rows } = await site.database.pool.query('select person_id from security_events where mail_mark = $1', [
    mailMark(mail),
  ]);
  expect(rows).toEqual([{ person_id: null }]);
});

test('security events are deleted after 180 days, in batches', async () => {
  const person = await makePerson(site);
  await insertEvents(person, 3);
  await insertEvents(person, 700, 181);
  const context = { database: site.as('worker'), clock: systemClock };
  expect(await eraseSecurityEvents(context)).toBe(true);
  expect(await countEvents(person)).toBe(203);
  expect(await eraseSecurityEvents(context)).toBe(false);
  expect(await countEvents(person)).toBe(3);
  const later = createManualClock(systemClock.nowMs() + 181 * DAY_MS);
  await eraseSecurityEvents({ ...context, clock: later });
  expect(await countEvents(person)).toBe(0);
});
