import type { Role } from '@counterfoil/core/permission.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createMerchant } from '../../src/merchants/create-merchant.ts';
import { addMember } from '../../src/people/add-member.ts';
import type { Browser, DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import { limitMember } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { makePerson, signInByPassword } from '../../rig/people/make-person.ts';
import { TESTER } from '../../rig/stores/open-store.ts';

/** A merchant's team: invitations, role changes, and attempts to gain rights by a trick. */

let site: DashboardSite;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
});
afterAll(() => site.close());

let merchantAccountId: bigint;
let account: string;
beforeEach(async () => {
  merchantAccountId = await createMerchant({ database: site.database, clock: systemClock }, TESTER, { name: 'Acme' });
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    merchantAccountId,
  ]);
  account = rows[0]?.code ?? '';
});

/** A member who is signed in and has just proven again who they are. */
async function member(role: Role): Promise<RigPerson> {
  const person = await makePerson(site);
  const context = { database: site.database, clock: systemClock, jobs: undefined };
  await addMember(context, TESTER, { merchantAccountId, personCode: person.code, role });
  await signInByPassword(person);
  await person.browser.send('POST', '/session/step-up', { password: person.password });
  return person;
}

async function rolesOf(): Promise<Record<string, string>> {
  const { rows } = await site.database.pool.query<{ code: string; role: string }>(
    'select p.code, m.role from memberships m join people p on p.id = m.person_id where m.merchant_account_id = $1',
    [merchantAccountId],
  );
  return Object.fromEntries(rows.map(({ code, role }) => [code, role]));
}

let invited = 0;
const nextMail = () => `invited-${process.pid}-${(invited += 1)}@acme.test`;

async function invite(browser: Browser, mail: string, role: Role = 'viewer'): Promise<string> {
  const { status, body } = await browser.send('POST', `/accounts/${account}/team/invitations`, { mail, role });
  expect({ status, body }).toMatchObject({ status: 200 });
  return String(body.data?.['link']).split('#').at(-1) ?? '';
}

const NEW = { name: 'Bob', language: 'en', password: 'a long word of bob' };

describe('an invitation', () => {
  test('makes a new person a member, signs them in, and works once', async () => {
    const owner = await member('owner');
    const mail = nextMail();
    const token = await invite(owner.browser, mail, 'developer');
    const browser = openBrowser(site);
    expect(await browser.send('POST', '/invitations/open', { token })).toMatchObject({
      body: { data: { account: 'Acme', mail, role: 'developer', known: false } },
    });
    expect(await browser.send('POST', '/invitations/accept-new', { ...NEW, token })).toMatchObject({ status: 200 });
    expect(await browser.send('GET', '/me')).toMatchObject({
      body: { data: { mail, accounts: [{ account, role: 'developer' }] } },
    });
    expect(await openBrowser(site).send('POST', '/invitations/open', { token })).toMatchObject({ status: 404 });
    expect(await openBrowser(site).send('POST', '/invitations/accept-new', { ...NEW, token })).toMatchObject({
      status: 404,
    });
  });

  test('that is accepted twice at the same moment makes one person', async () => {
    const owner = await member('owner');
    const token = await invite(owner.browser, nextMail());
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => openBrowser(site).send('POST', '/invitations/accept-new', { ...NEW, token })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(Object.keys(await rolesOf())).toHaveLength(2);
  });

  test('is accepted by a person who is signed in, if it names their mail address', async () => {
    const owner = await member('owner');
    const known = await makePerson(site);
    const token = await invite(owner.browser, known.mail.toUpperCase(), 'finance');
    await signInByPassword(known);
    expect(await known.browser.send('POST', '/invitations/accept', { token })).toMatchObject({ status: 200 });
    expect((await rolesOf())[known.code]).toBe('finance');
  });

  test('that was forwarded does not let anybody else in', async () => {
    const owner = await member('owner');
    const token = await invite(owner.browser, nextMail(), 'admin');
    const another = await makePerson(site);
    await signInByPassword(another);
    expect(await another.browser.send('POST', '/invitations/accept', { token })).toMatchObject({
      status: 403,
      body: { error_code: 'INVITATION_FOR_ANOTHER' },
    });
    expect((await rolesOf())[another.code]).toBeUndefined();
  });

  test('cannot take over a person who exists: they must sign in', async () => {
    const owner = await member('owner');
    const known = await makePerson(site);
    const token = await invite(owner.browser, known.mail);
    expect(await openBrowser(site).send('POST', '/invitations/accept-new', { ...NEW, token })).toMatchObject({
      status: 409,
      body: { error_code: 'SIGN_IN_FIRST' },
    });
    await signInByPassword(known);
    expect(await known.browser.send('POST', '/invitations/accept', { token })).toMatchObject({ status: 200 });
  });

  test('does not change the role of somebody who is a member already', async () => {
    const owner = await member('owner');
    const viewer = await member('viewer');
    const token = await invite(owner.browser, viewer.mail, 'owner');
    expect(await viewer.browser.send('POST', '/invitations/accept', { token })).toMatchObject({ status: 409 });
    expect((await rolesOf())[viewer.code]).toBe('viewer');
  });

  test.each([
    [
      'was taken back',
      async (owner: RigPerson, code: string) => {
        const path = `/accounts/${account}/team/invitations/${code}`;
        expect(await owner.browser.send('DELETE', path)).toMatchObject({ status: 200 });
      },
    ],
    [
      'is a week old',
      async (_owner: RigPerson, code: string) => {
        await site.database.pool.query('update invitations set expires_at = now() where code = $1', [code]);
      },
    ],
    [
      'was replaced by a newer one',
      async (owner: RigPerson, code: string) => {
        const { rows } = await site.database.pool.query<{ mail: string }>(
          'select mail_shown as mail from invitations where code = $1',
          [code],
        );
        await invite(owner.browser, rows[0]?.mail ?? '');
      },
    ],
  ])('that %s does nothing', async (_title, end) => {
    const owner = await member('owner');
    const token = await invite(owner.browser, nextMail());
    const { body } = await owner.browser.send('GET', `/accounts/${account}/team`);
    const invitations = body.data?.['invitations'] as { invitation: string }[] | undefined;
    await end(owner, invitations?.[0]?.invitation ?? '');
    expect(await openBrowser(site).send('POST', '/invitations/accept-new', { ...NEW, token })).toMatchObject({
      status: 404,
    });
  });

  test.each([
    ['was removed', async (owner: RigPerson, path: string) => owner.browser.send('DELETE', path)],
    [
      'may invite nobody now',
      async (owner: RigPerson, path: string) => owner.browser.send('PATCH', path, { role: 'finance' }),
    ],
    [
      'may not sign in now',
      async (_owner: RigPerson, path: string) => {
        const code = path.split('/').at(-1);
        await site.database.pool.query('update people set disabled_at = now() where code = $1', [code]);
        return { status: 200 };
      },
    ],
  ])('of somebody who %s does nothing', async (_title, lower) => {
    const owner = await member('owner');
    const admin = await member('admin');
    const known = await makePerson(site);
    await signInByPassword(known);
    const tokens = [await invite(admin.browser, nextMail(), 'admin'), await invite(admin.browser, known.mail)];
    expect(await lower(owner, `/accounts/${account}/team/${admin.code}`)).toMatchObject({ status: 200 });
    expect(await openBrowser(site).send('POST', '/invitations/open', { token: tokens[0] })).toMatchObject({
      status: 404,
    });
    expect(await openBrowser(site).send('POST', '/invitations/accept-new', { ...NEW, token: tokens[0] })).toMatchObject(
      { status: 404 },
    );
    expect(await known.browser.send('POST', '/invitations/accept', { token: tokens[1] })).toMatchObject({
      status: 404,
    });
    expect(Object.keys(await rolesOf())).not.toContain(known.code);
  });

  test('to become an owner does nothing once whoever made it is an admin', async () => {
    const owner = await member('owner');
    const second = await member('owner');
    const [high, low] = [await invite(second.browser, nextMail(), 'owner'), await invite(second.browser, nextMail())];
    await owner.browser.send('PATCH', `/accounts/${account}/team/${second.code}`, { role: 'admin' });
    expect(await openBrowser(site).send('POST', '/invitations/accept-new', { ...NEW, token: high })).toMatchObject({
      status: 404,
    });
    expect(await openBrowser(site).send('POST', '/invitations/accept-new', { ...NEW, token: low })).toMatchObject({
      status: 200,
    });
  });

  test('to become an owner is neither replaced nor taken back by an admin', async () => {
    const owner = await member('owner');
    const admin = await member('admin');
    const mail = nextMail();
    const token = await invite(owner.browser, mail, 'owner');
    const path = `/accounts/${account}/team/invitations`;
    const tooHigh = { status: 403, body: { error_code: 'ROLE_TOO_HIGH' } };
    expect(await admin.browser.send('POST', path, { mail, role: 'viewer' })).toMatchObject(tooHigh);
    const { rows } = await site.database.pool.query<{ code: string }>(
      'select code from invitations where mail_normal = $1',
      [mail],
    );
    expect(await admin.browser.send('DELETE', `${path}/${rows[0]?.code}`)).toMatchObject(tooHigh);
    expect(await openBrowser(site).send('POST', '/invitations/open', { token })).toMatchObject({ status: 200 });
    // An expired one does not count.
    await site.database.pool.query('update invitations set expires_at = now() where mail_normal = $1', [mail]);
    await invite(admin.browser, mail, 'viewer');
  });

  test('is one of a hundred that can wait at a merchant, also when many are made at once', async () => {
    const owner = await member('owner');
    await site.database.pool.query(
      `insert into invitations
         (code, merchant_account_id, mail_normal, mail_shown, role, token_hash, invited_by, created_at, expires_at)
       select 'INV-' || $1::bigint || '-' || n, $1, n || '@many.test', n || '@many.test', 'viewer',
         sha256(($1::bigint || '-' || n)::bytea), p.id, now(), now() + interval '1 day'
       from generate_series(1, 98) n, people p where p.code = $2`,
      [merchantAccountId, owner.code],
    );
    const path = `/accounts/${account}/team/invitations`;
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => owner.browser.send('POST', path, { mail: nextMail(), role: 'viewer' })),
    );
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([
      200, 200, 409, 409, 409, 409,
    ]);
    expect(answers.find(({ status }) => status === 409)).toMatchObject({
      body: { error_code: 'TOO_MANY_INVITATIONS' },
    });
  });

  test('needs a step-up, and whoever may not change the team cannot make one', async () => {
    const plain = await member('owner');
    await site.database.pool.query('update sessions set elevated_until = null');
    const body = { mail: nextMail(), role: 'viewer' };
    expect(await plain.browser.send('POST', `/accounts/${account}/team/invitations`, body)).toMatchObject({
      status: 403,
      body: { error_code: 'STEP_UP_NEEDED' },
    });
    for (const role of ['developer', 'finance', 'viewer'] as const) {
      const { browser } = await member(role);
      expect(await browser.send('POST', `/accounts/${account}/team/invitations`, body)).toMatchObject({
        status: 403,
        body: { error_code: 'NO_PERMISSION' },
      });
    }
  });

  test('keeps no token in the database, and its link begins with the configured address', async () => {
    const owner = await member('owner');
    const { body } = await owner.browser.send(
      'POST',
      `/accounts/${account}/team/invitations`,
      { mail: nextMail(), role: 'viewer' },
      { 'x-forwarded-host': 'evil.test' },
    );
    const link = String(body.data?.['link']);
    expect(link).toMatch(/^http:\/\/localhost:3003\/invitation#[\w-]{43}$/);
    const { rows } = await site.database.pool.query<{ text: string }>('select i::text as text from invitations i');
    expect(rows.some(({ text }) => text.includes(link.split('#').at(-1) ?? 'none'))).toBe(false);
  });

  test.each(['a@b.test\r\nBcc: eve@evil.test', 'a@b.test, eve@evil.test', '<a@b.test>', 'a b@c.test', 'nobody'])(
    'to %j is refused',
    async (mail) => {
      const owner = await member('owner');
      expect(
        await owner.browser.send('POST', `/accounts/${account}/team/invitations`, { mail, role: 'viewer' }),
      ).toMatchObject({ status: 400, body: { error_code: 'VALIDATION_ERROR' } });
    },
  );

  test('is made by nobody who sees some stores only: the invited person would see all of them', async () => {
    const admin = await member('admin');
    await limitMember(site, { person: admin, account, merchantAccountId }, []);
    const asked = { mail: nextMail(), role: 'viewer' };
    expect(await admin.browser.send('POST', `/accounts/${account}/team/invitations`, asked)).toMatchObject({
      status: 403,
      body: { error_code: 'NO_PERMISSION' },
    });
  });
});

describe('a role', () => {
  test('is changed by an owner, and holds from the next request on', async () => {
    const owner = await member('owner');
    const admin = await member('admin');
    const path = `/accounts/${account}/team/${admin.code}`;
    expect(await owner.browser.send('PATCH', path, { role: 'viewer' })).toMatchObject({ status: 200 });
    expect(await admin.browser.send('GET', `/accounts/${account}/team`)).toMatchObject({ status: 403 });
  });

  test('is raised three hundred times an hour by one member at most, and lowered or taken away at any time', async () => {
    const owner = await member('owner');
    const viewer = await member('viewer');
    const path = `/accounts/${account}/team/${viewer.code}`;
    await site.database.pool.query(
      `insert into attempt_budgets (subject, started_at, used)
       select 'setting:' || id, now(), 299 from people where code = $1`,
      [owner.code],
    );
    const change = (role: Role) => owner.browser.send('PATCH', path, { role });
    expect(await change('developer')).toMatchObject({ status: 200 });
    expect(await change('admin')).toMatchObject({ status: 429, body: { error_code: 'TOO_MANY_ATTEMPTS' } });
    expect(await rolesOf()).toMatchObject({ [viewer.code]: 'developer' });
    expect(await change('viewer')).toMatchObject({ status: 200 });
    expect(await owner.browser.send('DELETE', path)).toMatchObject({ status: 200 });
  });

  test('above the own one is given by nobody: not to others, not to oneself, not by invitation', async () => {
    await member('owner');
    const admin = await member('admin');
    const viewer = await member('viewer');
    const before = await rolesOf();
    for (const person of [viewer, admin])
      expect(
        await admin.browser.send('PATCH', `/accounts/${account}/team/${person.code}`, { role: 'owner' }),
      ).toMatchObject({ status: 403, body: { error_code: 'ROLE_TOO_HIGH' } });
    const invitation = { mail: nextMail(), role: 'owner' };
    expect(await admin.browser.send('POST', `/accounts/${account}/team/invitations`, invitation)).toMatchObject({
      status: 403,
    });
    expect(await rolesOf()).toEqual(before);
  });

  test('of an owner is neither changed nor taken away by an admin', async () => {
    const owner = await member('owner');
    await member('owner');
    const admin = await member('admin');
    const path = `/accounts/${account}/team/${owner.code}`;
    expect(await admin.browser.send('PATCH', path, { role: 'viewer' })).toMatchObject({ status: 403 });
    expect(await admin.browser.send('DELETE', path)).toMatchObject({ status: 403 });
    expect((await rolesOf())[owner.code]).toBe('owner');
  });

  test('is changed by no developer, finance or viewer, not even to a lower one of their own', async () => {
    const owner = await member('owner');
    for (const role of ['developer', 'finance', 'viewer'] as const) {
      const { browser, code } = await member(role);
      for (const person of [code, owner.code])
        expect(await browser.send('PATCH', `/accounts/${account}/team/${person}`, { role: 'viewer' })).toMatchObject({
          status: 403,
        });
    }
  });

  test('that nobody knows is refused', async () => {
    const owner = await member('owner');
    expect(
      await owner.browser.send('PATCH', `/accounts/${account}/team/${owner.code}`, { role: 'superuser' }),
    ).toMatchObject({ status: 400 });
  });

  test('of a stranger cannot be changed, and the stranger learns nothing', async () => {
    const owner = await member('owner');
    const stranger = await makePerson(site);
    await signInByPassword(stranger);
    await stranger.browser.send('POST', '/session/step-up', { password: stranger.password });
    const foreign = await stranger.browser.send('DELETE', `/accounts/${account}/team/${owner.code}`);
    const absent = await stranger.browser.send('DELETE', `/accounts/ACC-0000000000000000/team/${owner.code}`);
    expect(foreign.status).toBe(404);
    expect(foreign.body).toEqual(absent.body);
    expect(
      await owner.browser.send('PATCH', `/accounts/${account}/team/${stranger.code}`, { role: 'viewer' }),
    ).toMatchObject({ status: 404 });
  });
});

describe('the last owner', () => {
  test('can neither leave nor give the role up', async () => {
    const owner = await member('owner');
    await member('admin');
    const path = `/accounts/${account}/team/${owner.code}`;
    expect(await owner.browser.send('DELETE', path)).toMatchObject({
      status: 409,
      body: { error_code: 'LAST_OWNER' },
    });
    expect(await owner.browser.send('PATCH', path, { role: 'admin' })).toMatchObject({ status: 409 });
  });

  test('stays when two owners remove each other at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = [await member('owner'), await member('owner')];
      const { rows } = await site.database.pool.query<{ code: string }>(
        `select p.code from memberships m join people p on p.id = m.person_id
         where m.merchant_account_id = $1 and m.role = 'owner' and p.code <> all($2)`,
        [merchantAccountId, [one.code, two.code]],
      );
      for (const { code } of rows) await one.browser.send('DELETE', `/accounts/${account}/team/${code}`);
      await Promise.all([
        one.browser.send('DELETE', `/accounts/${account}/team/${two.code}`),
        two.browser.send('DELETE', `/accounts/${account}/team/${one.code}`),
      ]);
      expect(Object.values(await rolesOf()).filter((role) => role === 'owner')).toHaveLength(1);
    }
  });
});

test('every change of the team is audited under the name of the person who made it', async () => {
  const owner = await member('owner');
  const viewer = await member('viewer');
  await invite(owner.browser, nextMail());
  await owner.browser.send('PATCH', `/accounts/${account}/team/${viewer.code}`, { role: 'finance' });
  await viewer.browser.send('DELETE', `/accounts/${account}/team/${viewer.code}`);
  const { rows } = await site.database.pool.query<{ actor: string; action: string }>(
    'select actor, action from audit_entries where subject = $1 order by id',
    [`merchant:${merchantAccountId}`],
  );
  expect(rows.slice(-3)).toEqual([
    { actor: `person:${owner.code}`, action: 'member.invite' },
    { actor: `person:${owner.code}`, action: 'member.change' },
    { actor: `person:${viewer.code}`, action: 'member.remove' },
  ]);
});
