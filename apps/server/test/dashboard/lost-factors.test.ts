import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { countWaits } from '../../rig/database/count-waits.ts';
import type { Browser } from '../../rig/people/dashboard-site.ts';
import { DASHBOARD_URL, openBrowser } from '../../rig/people/dashboard-site.ts';
import type { MailedSite } from '../../rig/people/mailed-site.ts';
import { awaitMail, awaitQuiet, mailsTo, openMailedSite, tokenIn } from '../../rig/people/mailed-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { giveApp, givePasskey, nextCode } from '../../rig/people/make-person.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { addMember } from '../../src/people/add-member.ts';
import { drawLink } from '../../src/people/draw-link.ts';
import { resetFactors } from '../../src/people/reset-factors.ts';

/** Lost two-factor methods: who may request a reset, who can stop it, and when it applies. */

let site: MailedSite;
beforeAll(async () => {
  site = await openMailedSite(inject('template'));
});
afterAll(() => site.close());

const REQUESTED = 'Your two-factor methods will be reset';
const REMOVED = 'A two-factor method was removed';

/** An owner, and a member of the same merchant with an authenticator app. */
async function team(): Promise<{ owner: RigMember; member: RigPerson }> {
  const owner = await makeMember(site, 'owner');
  const { person: member } = await makeMember(site, 'developer', owner);
  await giveApp(member);
  return { owner, member };
}

const ask = ({ person, account }: RigMember, code: string) =>
  person.browser.send('POST', `/accounts/${account}/team/${code}/reset-factors`, { reason: 'lost the phone' });

/** The code of a refused request. */
const refused = async (asking: RigMember, code: string) => (await ask(asking, code)).body.error_code;

const keep = (token: string) => openBrowser(site).send('POST', '/keep-factors', { token });

/** Lets the delay of a person's reset be over. */
async function passDelay({ code }: RigPerson): Promise<void> {
  const { rowCount } = await site.database.pool.query(
    `update factor_resets r set effective_at = now() - interval '1 second' from people p
     where p.id = r.person_id and p.code = $1 and stopped_at is null and applied_at is null`,
    [code],
  );
  expect(rowCount).toBe(1);
}

async function stateOf({ code }: RigPerson) {
  const { rows } = await site.database.pool.query<{ stopped: boolean; applied: boolean; factors: number }>(
    `select r.stopped_at is not null as stopped, r.applied_at is not null as applied,
       (select count(*) from totp t where t.person_id = p.id)::integer
         + (select count(*) from passkeys k where k.person_id = p.id)::integer
         + (select count(*) from recovery_codes c where c.person_id = p.id)::integer as factors
     from factor_resets r join people p on p.id = r.person_id where p.code = $1 order by r.id desc limit 1`,
    [code],
  );
  return rows[0];
}

const signIn = async ({ mail, password }: RigPerson, browser: Browser = openBrowser(site)) =>
  (await browser.send('POST', '/session', { mail, password })).body.data?.['next'];

/** An app and ten recovery codes. */
const ALL = 11;

describe('a reset of lost factors', () => {
  test('waits a day, then the next sign-in by password applies it: all factors and sessions are gone', async () => {
    const { owner, member } = await team();
    const fromSeconds = systemClock.nowMs() / 1_000;
    const asked = await ask(owner, member.code);
    expect(asked.status).toBe(200);
    expect(Number(asked.body.data?.['effective_at']) - fromSeconds).toBeGreaterThan(86_390);
    expect(await signIn(member)).toBe('factor');
    expect(await stateOf(member)).toEqual({ stopped: false, applied: false, factors: ALL });
    await passDelay(member);
    const browser = openBrowser(site);
    expect(await signIn(member, browser)).toBe('done');
    expect(await stateOf(member)).toEqual({ stopped: false, applied: true, factors: 0 });
    expect(await browser.send('GET', '/me')).toMatchObject({ body: { data: { has_factor: false, elevated: false } } });
    expect(await member.browser.send('GET', '/me')).toMatchObject({ status: 401 });
    expect((await awaitMail(site, member.mail, REMOVED)).text).toContain('all two-factor methods');
    const { rows } = await site.database.pool.query(
      `select from security_events e join people p on p.id = e.person_id where p.code = $1 and e.kind = 'factors-reset'`,
      [member.code],
    );
    expect(rows).toHaveLength(1);
  });

  test('is not applied by a wrong password', async () => {
    const { owner, member } = await team();
    await ask(owner, member.code);
    await passDelay(member);
    expect(await signIn({ ...member, password: 'not the password' })).toBeUndefined();
    expect(await stateOf(member)).toMatchObject({ applied: false, factors: ALL });
  });

  test('is stopped by the link in the person’s mail, which works once', async () => {
    const { owner, member } = await team();
    await ask(owner, member.code);
    const token = tokenIn(await awaitMail(site, member.mail, REQUESTED));
    expect(await keep(token)).toMatchObject({ status: 200 });
    expect(await keep(token)).toMatchObject({ status: 400, body: { error_code: 'LINK_INVALID' } });
    expect(await stateOf(member)).toEqual({ stopped: true, applied: false, factors: ALL });
    expect(await signIn(member)).toBe('factor');
  });

  test('is told to every owner around the person, each of whom can stop it', async () => {
    const { owner, member } = await team();
    const { person: second } = await makeMember(site, 'owner', owner);
    await ask(owner, member.code);
    const mail = await awaitMail(site, second.mail, /^The two-factor methods of Person \d+ will be reset$/);
    await awaitMail(site, owner.person.mail, /^The two-factor methods of/);
    expect(await keep(tokenIn(mail))).toMatchObject({ status: 200 });
    expect(await stateOf(member)).toMatchObject({ stopped: true });
  });

  test('is told to the owners of another merchant of the person, whom the asking owner cannot see', async () => {
    const { owner, member } = await team();
    const elsewhere = await makeMember(site, 'owner');
    const context = { database: site.database, clock: systemClock, jobs: undefined };
    const membership = {
      merchantAccountId: elsewhere.merchantAccountId,
      personCode: member.code,
      role: 'viewer',
    } as const;
    await addMember(context, TESTER, membership);
    await ask(owner, member.code);
    const mail = await awaitMail(site, elsewhere.person.mail, /^The two-factor methods of/);
    expect(await keep(tokenIn(mail))).toMatchObject({ status: 200 });
  });

  test('is stopped by a sign-in with a second factor', async () => {
    const { owner, member } = await team();
    await ask(owner, member.code);
    const browser = openBrowser(site);
    expect(await signIn(member, browser)).toBe('factor');
    expect(await browser.send('POST', '/session/factor', { totp: nextCode(member) })).toMatchObject({ status: 200 });
    expect(await stateOf(member)).toEqual({ stopped: true, applied: false, factors: ALL });
  });

  test('is stopped by a step-up with the code of an app', async () => {
    const { owner, member } = await team();
    await ask(owner, member.code);
    const { browser, password } = member;
    const answer = await browser.send('POST', '/session/step-up', { password, totp: nextCode(member) });
    expect(answer).toMatchObject({ status: 200 });
    expect(await stateOf(member)).toEqual({ stopped: true, applied: false, factors: ALL });
  });

  test('is stopped by a step-up with a passkey', async () => {
    const { owner, member } = await team();
    const { browser } = member;
    const device = await givePasskey(member);
    await ask(owner, member.code);
    const asked = (await browser.send('POST', '/session/step-up/options', {})).body.data;
    const answer = device.answer(asked, DASHBOARD_URL);
    expect(await browser.send('POST', '/session/step-up/verify', { answer })).toMatchObject({ status: 200 });
    expect(await stateOf(member)).toEqual({ stopped: true, applied: false, factors: ALL + 1 });
  });

  test('is stopped by a sign-in with a passkey alone, also when its time has come', async () => {
    const { owner, member } = await team();
    const device = await givePasskey(member);
    await ask(owner, member.code);
    await passDelay(member);
    const other = openBrowser(site);
    const asked = (await other.send('POST', '/session/passkey/options', {})).body.data;
    const answer = device.answer(asked, DASHBOARD_URL);
    expect(await other.send('POST', '/session/passkey/verify', { answer })).toMatchObject({ status: 200 });
    expect(await stateOf(member)).toEqual({ stopped: true, applied: false, factors: ALL + 1 });
  });

  test('is still stopped by its link after the person’s password was changed by mail', async () => {
    const { owner, member } = await team();
    await ask(owner, member.code);
    const stop = tokenIn(await awaitMail(site, member.mail, REQUESTED));
    await openBrowser(site).send('POST', '/forgot', { mail: member.mail });
    const token = tokenIn(await awaitMail(site, member.mail, 'Reset your password'));
    await openBrowser(site).send('POST', '/reset', { token, password: 'another long word' });
    expect(await keep(stop)).toMatchObject({ status: 200 });
  });

  test('is not stopped by a link that was mailed about an earlier one', async () => {
    const { owner, member } = await team();
    await ask(owner, member.code);
    const earlier = tokenIn(await awaitMail(site, owner.person.mail, /^The two-factor methods of/));
    expect(await keep(tokenIn(await awaitMail(site, member.mail, REQUESTED)))).toMatchObject({ status: 200 });
    expect(await ask(owner, member.code)).toMatchObject({ status: 200 });
    expect(await keep(earlier)).toMatchObject({ status: 400, body: { error_code: 'LINK_INVALID' } });
    expect(await stateOf(member)).toMatchObject({ stopped: false, applied: false });
  });

  test('that was applied is not undone by its link', async () => {
    const { owner, member } = await team();
    await ask(owner, member.code);
    const token = tokenIn(await awaitMail(site, member.mail, REQUESTED));
    await passDelay(member);
    expect(await signIn(member)).toBe('done');
    expect(await keep(token)).toMatchObject({ status: 400 });
  });

  test('is one at a time, also when it is asked for by many at once', async () => {
    const { owner, member } = await team();
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(owner, member.code)));
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 409, 409, 409]);
    await awaitQuiet(site);
    expect(mailsTo(site, member.mail).filter(({ subject }) => subject === REQUESTED)).toHaveLength(1);
  });

  test('that is stopped while it is applied is one of the two: fifty rounds', async () => {
    const { member } = await team();
    const outcomes = { stopped: 0, applied: 0 };
    for (let round = 0; round < 50; round += 1) {
      await site.database.pool.query(
        `insert into totp (person_id, secret_id, confirmed_at)
         select p.id, (select max(id) from secrets), now() from people p where p.code = $1 on conflict do nothing`,
        [member.code],
      );
      await resetOf(member);
      const token = await linkFor(member);
      await passDelay(member);
      const { next, kept } = await raceAtLock(member, token, round % 2 === 0);
      const isStopped = kept.status === 200;
      // An owner who was shown "stopped" keeps their methods.
      expect(await stateOf(member)).toMatchObject(
        isStopped ? { stopped: true, applied: false } : { stopped: false, applied: true, factors: 0 },
      );
      expect(next).toBe(isStopped ? 'factor' : 'done');
      outcomes[isStopped ? 'stopped' : 'applied'] += 1;
    }
    // The first one won, in both orders.
    expect(outcomes).toEqual({ stopped: 25, applied: 25 });
  });
});

/** Asks by the verb of operators, so that fifty rounds need no session that lasts. */
async function resetOf({ code }: RigPerson): Promise<void> {
  const outbox = { clock: systemClock, jobs: undefined };
  const context = { database: site.database, clock: systemClock, jobs: undefined };
  await resetFactors(context, TESTER, { outbox, person: code, reason: 'lost' });
}

/** A link that stops a person's open reset, as a worker would draw it. */
async function linkFor({ code }: RigPerson): Promise<string> {
  const { rows } = await site.database.pool.query<{ person: string; reset: string }>(
    `select p.id as person, r.id as reset from people p join factor_resets r on r.person_id = p.id
     where p.code = $1 and r.stopped_at is null and r.applied_at is null`,
    [code],
  );
  const { person = '', reset = '' } = rows[0] ?? {};
  const subject = { purpose: 'keep-factors', personId: BigInt(person), factorResetId: BigInt(reset) } as const;
  const now = new Date(systemClock.nowMs());
  return drawLink(site.database.queries, { subject, expiresAt: new Date(now.getTime() + 60_000) }, now);
}

async function awaitWaiting(count: number): Promise<void> {
  await expect.poll(() => countWaits(site.database), { interval: 5 }).toBe(count);
}

/** Lets a stop and a sign-in meet at the lock of the reset, in either order, before one of them can have it. */
async function raceAtLock(member: RigPerson, token: string, stopsFirst: boolean) {
  const holder = await site.database.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from factor_resets where stopped_at is null and applied_at is null for update');
    const early = stopsFirst ? keep(token) : signIn(member);
    await awaitWaiting(1);
    const late = stopsFirst ? signIn(member) : keep(token);
    await awaitWaiting(2);
    await holder.query('commit');
    const [first, second] = await Promise.all([early, late]);
    const [kept, next] = stopsFirst ? [first, second] : [second, first];
    return { kept: kept as Awaited<ReturnType<typeof keep>>, next };
  } finally {
    holder.release();
  }
}

describe('a reset is refused', () => {
  test('to oneself, to an admin, for somebody without a factor, for a stranger, and without a step-up', async () => {
    const { owner, member } = await team();
    const admin = await makeMember(site, 'admin', owner);
    const { person: plain } = await makeMember(site, 'viewer', owner);
    const stranger = await makeMember(site, 'viewer');
    expect(await refused(owner, owner.person.code)).toBe('FACTORS_ARE_OWN');
    expect(await refused(admin, member.code)).toBe('ROLE_TOO_HIGH');
    expect(await refused(owner, plain.code)).toBe('FACTOR_MISSING');
    expect(await refused(owner, stranger.person.code)).toBe('NOT_FOUND');
    await site.database.pool.query('update sessions set elevated_until = null');
    expect(await refused(owner, member.code)).toBe('STEP_UP_NEEDED');
    expect(await stateOf(member)).toBeUndefined();
  });

  test('to an owner, for somebody who runs this service', async () => {
    const { owner, member } = await team();
    await site.database.pool.query(`update people set operator_role = 'support' where code = $1`, [member.code]);
    expect((await ask(owner, member.code)).body.error_code).toBe('ROLE_TOO_HIGH');
  });
});

test('an operator asks for a reset with a reason, which is audited', async () => {
  const { member } = await team();
  await resetOf(member);
  const { rows } = await site.database.pool.query<{ details: unknown }>(
    `select details from audit_entries where action = 'person.reset_factors' and subject = $1`,
    [`person:${member.code}`],
  );
  expect(rows).toMatchObject([{ details: { reason: 'lost' } }]);
});
