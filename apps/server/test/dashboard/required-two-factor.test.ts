import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openBrowser } from '../../rig/people/dashboard-site.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { lastToken, openLateSite, sendWaiting } from '../../rig/people/late-mails.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { joinMerchant, makeMember } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { forgetStepUp, giveApp, givePasskey } from '../../rig/people/make-person.ts';
import type { BegunExport } from '../../src/exports/export-sql.ts';
import { findExporter } from '../../src/exports/export-sql.ts';
import { findWantingRole } from '../../src/notices/notice-sql.ts';
import { insertLockLink } from '../../src/people/lock-link-sql.ts';
import { BELONGS } from '../../src/people/membership-sql.ts';
import { drawLinkToken, hashLinkToken } from '../../src/people/person.ts';

/** Two-factor authentication that an owner requires of the team: who may, who is refused what, and who is notified. */

let site: DashboardSite;
beforeAll(async () => {
  site = await openLateSite(inject('template'));
});
afterAll(() => site.close());

const REFUSED = { status: 403, body: { error_code: 'TWO_FACTOR_REQUIRED' } };

const require2fa = ({ person, account }: RigMember, required = true) =>
  person.browser.send('PUT', `/accounts/${account}/two-factor`, { required });

const home = ({ person, account }: RigMember) => person.browser.send('GET', `/accounts/${account}/home`);

/** An owner with an authenticator app. */
async function makeOwner(of?: RigMember): Promise<RigMember> {
  const owner = await makeMember(site, 'owner', of);
  await giveApp(owner.person);
  return owner;
}

/** An owner who requires two-factor authentication of the team. */
async function makeStrictOwner(): Promise<RigMember> {
  const owner = await makeOwner();
  expect(await require2fa(owner)).toMatchObject({ status: 200 });
  return owner;
}

async function idOf({ code }: RigPerson): Promise<bigint> {
  const { rows } = await site.database.pool.query<{ id: bigint }>('select id from people where code = $1', [code]);
  return rows[0]?.id ?? 0n;
}

const subjectsTo = async ({ mail }: RigPerson) => (await sendWaiting(site, mail)).map(({ subject }) => subject);

async function auditOf({ merchantAccountId }: RigMember): Promise<unknown[]> {
  const { rows } = await site.database.pool.query<{ details: unknown }>(
    `select details from audit_entries where action = 'merchant.two_factor' and subject = $1 order by id`,
    [`merchant:${merchantAccountId}`],
  );
  return rows.map(({ details }) => details);
}

describe('requiring two-factor authentication', () => {
  test('is refused to an admin, even one with a two-factor method', async () => {
    const owner = await makeOwner();
    const admin = await makeMember(site, 'admin', owner);
    await giveApp(admin.person);
    expect(await require2fa(admin)).toMatchObject({ status: 403, body: { error_code: 'NO_PERMISSION' } });
    expect(await home(await makeMember(site, 'viewer', owner))).toMatchObject({ status: 200 });
  });

  test('is refused to an owner without a two-factor method of their own', async () => {
    const owner = await makeMember(site, 'owner');
    expect(await require2fa(owner)).toMatchObject({ status: 403, body: { error_code: 'FACTOR_NEEDED' } });
    expect(await home(owner)).toMatchObject({ status: 200 });
  });

  test('is refused without a step-up, and so is lifting it', async () => {
    const owner = await makeOwner();
    await forgetStepUp(site, owner.person);
    expect(await require2fa(owner)).toMatchObject({ status: 403, body: { error_code: 'STEP_UP_NEEDED' } });
    await site.database.pool.query('update merchants set two_factor_required = true where id = $1', [
      owner.merchantAccountId,
    ]);
    expect(await require2fa(owner, false)).toMatchObject({ status: 403, body: { error_code: 'STEP_UP_NEEDED' } });
  });

  test('is audited and shown on the team page with who has a method; asking again changes nothing', async () => {
    const owner = await makeStrictOwner();
    const { person: member } = await makeMember(site, 'viewer', owner);
    expect(await require2fa(owner)).toMatchObject({ status: 200 });
    const { body } = await owner.person.browser.send('GET', `/accounts/${owner.account}/team`);
    expect(body.data).toMatchObject({ two_factor_required: true });
    const members = (body.data?.['members'] ?? []) as { person: string; has_factor: boolean }[];
    expect(Object.fromEntries(members.map((one) => [one.person, one.has_factor]))).toEqual({
      [owner.person.code]: true,
      [member.code]: false,
    });
    expect(await require2fa(owner, false)).toMatchObject({ status: 200 });
    expect(await auditOf(owner)).toEqual([
      { before: { required: false }, after: { required: true } },
      { before: { required: true }, after: { required: false } },
    ]);
  });
});

describe('a member of a merchant that requires two-factor authentication', () => {
  test.each<[string, (member: RigMember) => Promise<unknown>, number]>([
    ['no two-factor method', async () => {}, 403],
    ['an authenticator app that was never confirmed', ({ person }) => person.browser.send('POST', '/me/totp', {}), 403],
    ['recovery codes alone', async ({ person }) => insertRecoveryCode(person), 403],
    ['an authenticator app', ({ person }) => giveApp(person), 200],
    ['a passkey', ({ person }) => givePasskey(person), 200],
  ])('with %s', async (_title, prepare, status) => {
    const owner = await makeStrictOwner();
    const member = await makeMember(site, 'admin', owner);
    await prepare(member);
    expect(await home(member)).toMatchObject({ status });
  });

  test('without a method is refused every read and write with one code, and keeps the pages of their own account', async () => {
    const owner = await makeStrictOwner();
    const member = await makeMember(site, 'owner', owner);
    const { browser } = member.person;
    const base = `/accounts/${member.account}`;
    for (const [method, path, body] of [
      ['GET', `${base}/stores`],
      ['GET', `${base}/stores/MID-000000000000`],
      ['GET', `${base}/team`],
      ['POST', `${base}/lock`, {}],
      ['POST', `${base}/stores`, { name: 'Shop', mode: 'test' }],
      ['PUT', `${base}/two-factor`, { required: false }],
      ['DELETE', `${base}/team/${member.person.code}`],
      ['PUT', '/me/notifications', { account: member.account, wanted: { balance: false } }],
    ] as const)
      expect(await browser.send(method, path, body)).toMatchObject(REFUSED);
    expect(await browser.send('GET', '/me')).toMatchObject({
      status: 200,
      body: { data: { has_factor: false, accounts: [{ account: member.account, two_factor_required: true }] } },
    });
    expect(await browser.send('GET', '/me/sessions')).toMatchObject({ status: 200 });
    expect(await browser.send('GET', '/me/notifications')).toMatchObject({ body: { data: { accounts: [] } } });
    expect(await require2fa(owner)).toMatchObject({ status: 200 });
  });

  test('without a method reaches their other merchants as before', async () => {
    const owner = await makeStrictOwner();
    const elsewhere = await makeMember(site, 'owner');
    await joinMerchant(site, elsewhere.person, owner.merchantAccountId, 'developer');
    expect(await home({ ...elsewhere, account: owner.account })).toMatchObject(REFUSED);
    expect(await home(elsewhere)).toMatchObject({ status: 200 });
  });

  test('has access in the same session as soon as a method is set up', async () => {
    const owner = await makeStrictOwner();
    const member = await makeMember(site, 'developer', owner);
    expect(await home(member)).toMatchObject(REFUSED);
    await giveApp(member.person);
    expect(await home(member)).toMatchObject({ status: 200 });
  });

  test('without a method is still a stranger to every other merchant', async () => {
    const owner = await makeStrictOwner();
    const stranger = await makeMember(site, 'owner');
    expect(await home({ ...stranger, account: owner.account })).toMatchObject({ status: 404 });
  });

  test('without a method can still stop payment-method changes by the link in an email', async () => {
    const owner = await makeStrictOwner();
    const second = await makeMember(site, 'owner', owner);
    const token = drawLinkToken();
    const hash = hashLinkToken(token);
    if (!hash) throw new Error('The token has an unknown form.');
    const at = new Date();
    const { merchantAccountId } = owner;
    const link = {
      hash,
      personId: await idOf(second.person),
      merchantAccountId,
      expiresAt: new Date(at.getTime() + 60_000),
    };
    await insertLockLink(site.database.queries, link, at);
    expect(await openBrowser(site).send('POST', '/lock', { token })).toMatchObject({ status: 200 });
  });

  test('without a method gets no notices and no export, and their request to attach money is refused', async () => {
    const owner = await makeOwner();
    const member = await makeMember(site, 'admin', owner);
    const { merchantAccountId } = owner;
    const personId = await idOf(member.person);
    const { queries } = site.database;
    const seen = async () => [
      await findWantingRole(queries, { merchantAccountId, personId }, { topic: 'balance', storeId: null }),
      (await findExporter(queries, { personId, merchantAccountId } as BegunExport))?.role,
      (await sql<{ role: string }>`select role from ${BELONGS(member.person.code)} m`.execute(queries)).rows[0]?.role,
    ];
    expect(await seen()).toEqual(['admin', 'admin', 'admin']);
    expect(await require2fa(owner)).toMatchObject({ status: 200 });
    expect(await seen()).toEqual([undefined, undefined, undefined]);
  });
});

async function insertRecoveryCode(person: RigPerson): Promise<void> {
  await site.database.pool.query('insert into recovery_codes (person_id, hash) values ($1, $2)', [
    await idOf(person),
    Buffer.alloc(32, 7),
  ]);
}

describe('emails about required two-factor authentication', () => {
  test('tell every member when it is switched on, and where to set it up those who have no method', async () => {
    const owner = await makeOwner();
    const { person: ready } = await makeMember(site, 'viewer', owner);
    await givePasskey(ready);
    const { person: missing } = await makeMember(site, 'viewer', owner);
    for (const one of [owner.person, ready, missing]) await sendWaiting(site, one.mail);
    await require2fa(owner);
    for (const one of [owner.person, ready])
      expect(await sendWaiting(site, one.mail)).toEqual([
        {
          subject: 'Acme now requires two-factor authentication',
          text: expect.not.stringContaining('/me/security') as string,
        },
      ]);
    expect(await sendWaiting(site, missing.mail)).toEqual([
      {
        subject: 'Acme now requires two-factor authentication',
        text: expect.stringContaining('/me/security') as string,
      },
    ]);
  });

  test('tell the owners when it is switched off, and nobody else', async () => {
    const owner = await makeStrictOwner();
    const { person: member } = await makeMember(site, 'viewer', owner);
    const second = await makeOwner(owner);
    for (const one of [owner.person, member, second.person]) await sendWaiting(site, one.mail);
    await require2fa(owner, false);
    const expected = ['Acme no longer requires two-factor authentication'];
    expect(await subjectsTo(owner.person)).toEqual(expected);
    expect(await subjectsTo(second.person)).toEqual(expected);
    expect(await subjectsTo(member)).toEqual([]);
  });

  test('are merged when it is switched on and off many times', async () => {
    const owner = await makeOwner();
    const { person: member } = await makeMember(site, 'viewer', owner);
    for (let time = 0; time < 40; time += 1) await require2fa(owner, time % 2 === 0);
    const { rows } = await site.database.pool.query<{ count: number; merged: number }>(
      `select count(*)::integer as count, sum(merged)::integer as merged from mails
       where template = 'two-factor-required' and to_address = $1`,
      [member.mail],
    );
    expect(rows).toEqual([{ count: 6, merged: 14 }]);
  });

  test('tell the other owners when a member removes the last method, who has no access from then on', async () => {
    const owner = await makeStrictOwner();
    const member = await makeMember(site, 'admin', owner);
    const { browser } = member.person;
    await giveApp(member.person);
    await givePasskey(member.person);
    await sendWaiting(site, owner.person.mail);
    expect(await browser.send('DELETE', '/me/totp')).toMatchObject({ status: 200 });
    expect(await subjectsTo(owner.person)).toEqual([]);
    expect(await home(member)).toMatchObject({ status: 200 });
    const { body } = await browser.send('GET', '/me/passkeys');
    const passkeys = (body.data?.['passkeys'] ?? []) as { passkey: string }[];
    expect(await browser.send('DELETE', `/me/passkeys/${passkeys[0]?.passkey}`)).toMatchObject({ status: 200 });
    expect(await subjectsTo(owner.person)).toEqual([
      expect.stringMatching(/^Person \d+ no longer has a two-factor method$/) as string,
    ]);
    expect(await home(member)).toMatchObject(REFUSED);
  });

  test('do not tell owners of a merchant that does not require it', async () => {
    const owner = await makeOwner();
    const member = await makeMember(site, 'admin', owner);
    await giveApp(member.person);
    await sendWaiting(site, owner.person.mail);
    expect(await member.person.browser.send('DELETE', '/me/totp')).toMatchObject({ status: 200 });
    expect(await subjectsTo(owner.person)).toEqual([]);
  });

  test('tell the owners when the reset of a member’s lost methods takes effect', async () => {
    const owner = await makeStrictOwner();
    const { person: member } = await makeMember(site, 'admin', owner);
    await giveApp(member);
    const path = `/accounts/${owner.account}/team/${member.code}/reset-factors`;
    expect(await owner.person.browser.send('POST', path, { reason: 'lost' })).toMatchObject({ status: 200 });
    await sendWaiting(site, owner.person.mail);
    await site.database.pool.query(
      `update factor_resets set effective_at = now() - interval '1 second' where person_id = $1`,
      [await idOf(member)],
    );
    const browser = openBrowser(site);
    const { mail, password } = member;
    expect(await browser.send('POST', '/session', { mail, password })).toMatchObject({
      body: { data: { next: 'done' } },
    });
    expect(await subjectsTo(owner.person)).toEqual([
      expect.stringMatching(/^Person \d+ no longer has a two-factor method$/) as string,
    ]);
    expect(await browser.send('GET', `/accounts/${owner.account}/home`)).toMatchObject(REFUSED);
  });
});

test('an invited person accepts first, and has access once two-factor authentication is set up', async () => {
  const owner = await makeStrictOwner();
  const mail = `invited-${process.pid}@acme.test`;
  const path = `/accounts/${owner.account}/team/invitations`;
  expect(await owner.person.browser.send('POST', path, { mail, role: 'admin' })).toMatchObject({ status: 200 });
  const token = lastToken(await sendWaiting(site, mail));
  const browser = openBrowser(site);
  const password = 'a long word of somebody new';
  const accepted = await browser.send('POST', '/invitations/accept-new', {
    token,
    name: 'New',
    language: 'en',
    password,
  });
  expect(accepted).toMatchObject({ status: 200 });
  const member = { ...owner, person: { code: '', mail, password, browser } };
  expect(await home(member)).toMatchObject(REFUSED);
  await giveApp(member.person);
  expect(await home(member)).toMatchObject({ status: 200 });
});

test('a person who is signed in accepts an invitation to a merchant that requires what they have not set up', async () => {
  const owner = await makeStrictOwner();
  const elsewhere = await makeMember(site, 'owner');
  const { mail, browser } = elsewhere.person;
  const path = `/accounts/${owner.account}/team/invitations`;
  await owner.person.browser.send('POST', path, { mail, role: 'viewer' });
  const token = lastToken(await sendWaiting(site, mail));
  expect(await browser.send('POST', '/invitations/accept', { token })).toMatchObject({ status: 200 });
  expect(await home({ ...elsewhere, account: owner.account })).toMatchObject(REFUSED);
  expect(await home(elsewhere)).toMatchObject({ status: 200 });
});
