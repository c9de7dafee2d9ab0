import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { countWaits } from '../../rig/database/count-waits.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openLateSite, sendWaiting } from '../../rig/people/late-mails.ts';
import { joinMerchant, makeMember } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { enter, forgetStepUp } from '../../rig/people/make-person.ts';
import type { MethodMerchant } from '../../rig/people/method-rig.ts';
import { contextOf, openMerchant } from '../../rig/people/method-rig.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import { activateStore } from '../../src/stores/activate-store.ts';

/** Settings of a store, its activity and its looks, in the dashboard. */

let site: DashboardSite;
let owner: RigPerson;
beforeAll(async () => {
  site = await openLateSite(inject('template'));
  owner = (await makeMember(site, 'owner')).person;
});
afterAll(() => site.close());

let merchant: MethodMerchant;
let base: string;

async function renewMerchant(): Promise<void> {
  merchant = await openMerchant(site);
  base = `/accounts/${merchant.account}/stores/${merchant.store.merchantId}`;
  await joinMerchant(site, owner, merchant.store.merchantAccountId, 'owner');
}

const STEP_UP_NEEDED = { status: 403, body: { error_code: 'STEP_UP_NEEDED' } };

const send = (method: string, path: string, body?: unknown) => owner.browser.send(method, `${base}${path}`, body);

async function lastAudit(): Promise<Record<string, unknown> | undefined> {
  const { rows } = await site.database.pool.query<Record<string, unknown>>(
    'select action, actor, details from audit_entries where subject = $1 order by id desc limit 1',
    [`store:${merchant.store.id}`],
  );
  return rows[0];
}

describe('the settings of a store', () => {
  beforeAll(renewMerchant);

  test('are shown, changed one by one, and audited with what they were before', async () => {
    const before = {
      name: 'Test store',
      lifetime_minutes: 30,
      grace_minutes: 0,
      https_callbacks_only: false,
    };
    expect((await send('GET', '')).body.data).toMatchObject({ ...before, mode: 'live', active: true });
    const name = '=HYPERLINK("https://evil.example")<script>';
    expect((await send('PATCH', '', { name, grace_minutes: 60 })).body.data).toEqual({
      ...before,
      name,
      grace_minutes: 60,
    });
    expect((await send('PATCH', '', { lifetime_minutes: 45, https_callbacks_only: true })).status).toBe(200);
    expect((await send('GET', '')).body.data).toMatchObject({
      name,
      lifetime_minutes: 45,
      grace_minutes: 60,
      https_callbacks_only: true,
    });
    expect(await lastAudit()).toMatchObject({
      action: 'store.change',
      actor: `person:${owner.code}`,
      details: { before: { lifetimeMinutes: 30 }, after: { lifetimeMinutes: 45 } },
    });
  });

  test('let webhooks go without https only after a step-up, of which the owners are notified', async () => {
    await send('PATCH', '', { https_callbacks_only: true });
    await sendWaiting(site, owner.mail);
    await forgetStepUp(site, owner);
    const off = { lifetime_minutes: 50, https_callbacks_only: false };
    expect(await send('PATCH', '', off)).toMatchObject(STEP_UP_NEEDED);
    expect((await send('GET', '')).body.data).toMatchObject({ lifetime_minutes: 45, https_callbacks_only: true });
    expect((await send('PATCH', '', { lifetime_minutes: 46, https_callbacks_only: true })).status).toBe(200);
    expect(await sendWaiting(site, owner.mail)).toEqual([]);
    await enter(site, owner);
    expect((await send('PATCH', '', off)).status).toBe(200);
    await forgetStepUp(site, owner);
    expect((await send('PATCH', '', off)).status).toBe(200);
    await enter(site, owner);
    const mails = await sendWaiting(site, owner.mail);
    expect(mails.map(({ text }) => text.includes('Webhooks to http addresses are not encrypted.'))).toEqual([true]);
  });

  test.each([
    {},
    { name: '  ' },
    { lifetime_minutes: 9 },
    { lifetime_minutes: 1_441 },
    { grace_minutes: -1 },
    { grace_minutes: 1_441 },
    { https_callbacks_only: 'yes' },
    { live: false },
    { name: 'a\u0000b' },
  ])('are refused as %j', async (body) => {
    expect(await send('PATCH', '', body)).toMatchObject({ status: 400, body: { error_code: 'VALIDATION_ERROR' } });
  });
});

describe('a store', () => {
  beforeAll(renewMerchant);

  test('is switched off and on by a member, and the owners are told of each change', async () => {
    await sendWaiting(site, owner.mail);
    expect(await send('POST', '/activity', { active: false })).toMatchObject({ body: { data: { active: false } } });
    expect((await send('GET', '')).body.data).toMatchObject({ active: false });
    await send('POST', '/activity', { active: false });
    await send('POST', '/activity', { active: true });
    expect((await send('GET', '')).body.data).toMatchObject({ active: true });
    expect((await sendWaiting(site, owner.mail)).map(({ subject }) => subject)).toEqual([
      'Test store was switched off',
      'Test store was switched on',
    ]);
    expect(await lastAudit()).toMatchObject({ action: 'store.activate', actor: `person:${owner.code}` });
  });

  test('that an operator switched off is switched on by operators only', async () => {
    const { ref } = merchant.store;
    await activateStore(contextOf(site), TESTER, { store: ref, active: false });
    const refused = { status: 409, body: { error_code: 'STORE_OFF_BY_OPERATOR' } };
    expect(await send('POST', '/activity', { active: true })).toMatchObject(refused);
    expect(await send('POST', '/activity', { active: false })).toMatchObject(refused);
    expect(await send('POST', '/activity', { active: true })).toMatchObject(refused);
    await activateStore(contextOf(site), TESTER, { store: ref, active: true });
    expect(await send('POST', '/activity', { active: false })).toMatchObject({ status: 200 });
  });

  test('that a member and then an operator switched off is switched on by operators only', async () => {
    const { ref } = merchant.store;
    expect(await send('POST', '/activity', { active: false })).toMatchObject({ status: 200 });
    await activateStore(contextOf(site), TESTER, { store: ref, active: false });
    expect(await send('POST', '/activity', { active: true })).toMatchObject({
      status: 409,
      body: { error_code: 'STORE_OFF_BY_OPERATOR' },
    });
    await activateStore(contextOf(site), TESTER, { store: ref, active: true });
  });
});

/** The smallest file that has the size of a PNG picture where a PNG has it. */
function picture(side: number, bytes = 33): string {
  const file = Buffer.alloc(bytes);
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(file);
  file.writeUInt32BE(side, 16);
  file.writeUInt32BE(side, 20);
  return file.toString('base64');
}

const BRAND = {
  display_name: 'Café <b>Central</b>',
  accent: '#0A7D33',
  support_url: 'https://cafe.example/help',
  support_email: 'help@cafe.example',
};
const SHOWN = { ...BRAND, accent: '#0a7d33' };

describe('the looks of a store', () => {
  beforeAll(renewMerchant);

  test('are set and shown; a logo that is left out stays, and null takes it away', async () => {
    const none = { display_name: null, accent: null, support_url: null, support_email: null };
    expect((await send('GET', '/brand')).body.data).toEqual({ ...none, logo: null });
    const { status, body } = await send('PUT', '/brand', { ...BRAND, logo: picture(64, 65_536) });
    expect({ status, data: body.data }).toEqual({
      status: 200,
      data: { ...SHOWN, logo: expect.stringMatching(/^[0-9a-f]{64}\.png$/) },
    });
    const logo = body.data?.['logo'];
    expect((await send('PUT', '/brand', BRAND)).body.data).toEqual({ ...SHOWN, logo });
    expect((await send('GET', '/brand')).body.data).toEqual({ ...SHOWN, logo });
    expect((await send('PUT', '/brand', { ...none, logo: null })).body.data).toEqual({ ...none, logo: null });
    expect(await lastAudit()).toMatchObject({
      action: 'store.brand',
      actor: `person:${owner.code}`,
      details: { before: { supportEmail: 'help@cafe.example' }, after: { supportEmail: null } },
    });
  });

  test('change only after a step-up, and the owners are notified of what customers see', async () => {
    await sendWaiting(site, owner.mail);
    const before = (await send('GET', '/brand')).body.data;
    await forgetStepUp(site, owner);
    expect(await send('PUT', '/brand', BRAND)).toMatchObject(STEP_UP_NEEDED);
    expect((await send('GET', '/brand')).body.data).toEqual(before);
    await enter(site, owner);
    const contact = { support_url: null, support_email: 'thief@evil.example' };
    for (const change of [BRAND, BRAND, { ...BRAND, accent: null }, { ...BRAND, accent: null, ...contact }])
      expect((await send('PUT', '/brand', change)).status).toBe(200);
    expect((await sendWaiting(site, owner.mail)).map(({ subject }) => subject)).toEqual([
      'The support contact of Test store has changed',
      'The payment page appearance of Test store has changed',
      'The support contact of Test store has changed',
    ]);
    const none = { display_name: null, accent: null, support_url: null, support_email: null };
    expect((await send('PUT', '/brand', none)).status).toBe(200);
  });

  test.each([
    ['a help page without encryption', { support_url: 'http://cafe.example' }, 400, 'CONTACT_UNFIT'],
    ['a script as help page', { support_url: 'javascript:alert(1)' }, 400, 'CONTACT_UNFIT'],
    ['two addresses', { support_email: 'help@cafe.example?bcc=all@evil.example' }, 400, 'CONTACT_UNFIT'],
    ['a colour by name', { accent: 'red' }, 400, 'VALIDATION_ERROR'],
    ['a logo that is no base64', { logo: 'no base64!' }, 400, 'VALIDATION_ERROR'],
    ['a drawing with scripts', { logo: Buffer.from('<svg onload=alert(1)>').toString('base64') }, 400, 'LOGO_UNFIT'],
    ['a logo that is too wide', { logo: picture(2_000) }, 400, 'LOGO_UNFIT'],
    ['a logo of a byte too many', { logo: picture(64, 65_537) }, 400, 'LOGO_UNFIT'],
    ['a logo of too many bytes to read', { logo: picture(64, 100_000) }, 413, 'PAYLOAD_TOO_LARGE'],
  ])('are refused with %s', async (_what, change, status, code) => {
    expect(await send('PUT', '/brand', { ...BRAND, ...change })).toMatchObject({ status, body: { error_code: code } });
    expect((await send('GET', '/brand')).body.data).toMatchObject({ display_name: null, support_url: null });
  });

  test('keep both of two changes at once: a logo that is left out stays, also one that is just being set', async () => {
    await send('PUT', '/brand', { ...BRAND, logo: null });
    const { pool } = site.database;
    const waitFor = (count: number) => {
      const options = { what: `${count} changes do not wait`, pollMs: 10 };
      return waitUntil(async () => (await countWaits({ pool })) === count, options);
    };
    const client = await pool.connect();
    await client.query('begin');
    await client.query('select from brands where store_id = $1 for update', [merchant.store.id]);
    const first = send('PUT', '/brand', { ...BRAND, logo: picture(64) });
    await waitFor(1);
    const second = send('PUT', '/brand', { ...BRAND, display_name: 'B' });
    await waitFor(2);
    await client.query('rollback');
    client.release();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    const logo = expect.stringMatching(/^[0-9a-f]{64}\.png$/);
    expect((await send('GET', '/brand')).body.data).toEqual({ ...SHOWN, display_name: 'B', logo });
  });

  test('take a larger body than other routes do', async () => {
    expect(await send('PATCH', '', { name: 'a'.repeat(20_000) })).toMatchObject({
      status: 413,
      body: { error_code: 'PAYLOAD_TOO_LARGE' },
    });
  });
});

test('the methods of a store say how its exchange accounts are, and nothing of those of others', async () => {
  await renewMerchant();
  const { pool } = site.database;
  const { id, merchantAccountId } = merchant.store;
  const other = await openMerchant(site);
  const account = `uid-${id}`;
  const insert = `
    with address as (
      insert into receiving_addresses (family, address, merchant_account_id, claimed_at)
      values ('EXCHANGE_PAY:OKX', $1, $2, now()) returning address),
    wallet as (
      insert into wallets (store_id, merchant_account_id, network, family, address, added_at)
      select $3, $2, 'EXCHANGE_PAY:OKX', 'EXCHANGE_PAY:OKX', address, now() from address)
    insert into exchange_accounts (network, account, merchant_account_id, secret_id, base_url, key_hint, bound_to_addresses,
      is_sub_account, key_expires_at, added_at, checked_at, check_due_at, fault, faulty_since)
    select 'EXCHANGE_PAY:OKX', $1, $2, secret_id, 'https://okx.example', 'k-12', true, false, to_timestamp(1800000000), now(),
      to_timestamp(1700000000), now(), 'cannot-read', now() from api_keys where store_id = $3`;
  await pool.query(insert, [account, merchantAccountId, id]);
  await pool.query(insert, ['uid-of-others', other.store.merchantAccountId, other.store.id]);
  const { body } = await owner.browser.send('GET', merchant.methods);
  expect(body.data?.['methods']).toMatchObject([
    { network: 'BSC', kind: 'wallet', health: null },
    {
      network: 'EXCHANGE_PAY:OKX',
      kind: 'exchange-account',
      address: account,
      health: {
        key_hint: 'k-12',
        checked_at: 1_700_000_000,
        key_expires_at: 1_800_000_000,
        fault: 'cannot-read',
        stopped_at: null,
      },
    },
  ]);
  expect(JSON.stringify(body)).not.toContain('uid-of-others');
});

const countAudited = async () => (await site.database.pool.query('select from audit_entries')).rowCount;

describe('changes of a store by one member', () => {
  beforeAll(renewMerchant);
  beforeEach(() => enter(site, owner));

  const SUBJECT = () => `setting:${ownerId}`;
  let ownerId: bigint;
  beforeAll(async () => {
    const { rows } = await site.database.pool.query<{ id: bigint }>('select id from people where code = $1', [
      owner.code,
    ]);
    ownerId = rows[0]?.id ?? 0n;
    await site.database.pool.query(
      `insert into attempt_budgets (subject, started_at, used) values ($1, now(), 298)
       on conflict (subject) do update set started_at = now(), used = 298`,
      [SUBJECT()],
    );
  });
  afterAll(() => site.database.pool.query('delete from attempt_budgets where subject = $1', [SUBJECT()]));

  test('are at most three hundred an hour, and switching it off is never refused', async () => {
    expect(await send('PATCH', '', { name: 'First' })).toMatchObject({ status: 200 });
    expect(await send('POST', '/activity', { active: false })).toMatchObject({ status: 200 });
    expect(await send('POST', '/activity', { active: true })).toMatchObject({ status: 200 });
    const refused = { status: 429, body: { error_code: 'TOO_MANY_ATTEMPTS' } };
    expect(await send('PATCH', '', { name: 'Second' })).toMatchObject(refused);
    expect(await send('PUT', '/brand', BRAND)).toMatchObject(refused);
    expect(await send('POST', '/activity', { active: false })).toMatchObject({ status: 200 });
    expect(await send('POST', '/activity', { active: true })).toMatchObject(refused);
  });

  test('that switch it off again are not audited', async () => {
    await send('POST', '/activity', { active: false });
    const before = await countAudited();
    expect(await send('POST', '/activity', { active: false })).toMatchObject({ status: 200 });
    expect(await countAudited()).toBe(before);
  });
});
