import type { Role } from '@counterfoil/core/permission.ts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { quoteInvoice, receiveUnmatched } from '../../rig/invoices/make-unmatched.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { limitMember, makeMember } from '../../rig/people/make-member.ts';
import { openBeside } from '../../rig/stores/open-beside.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { addDays, dayOf } from '../../src/days/store-day.ts';
import { systemClock } from '../../src/lib/clock.ts';

let site: DashboardSite;
let live: TestStore;
let owner: RigMember;
const TODAY = dayOf(systemClock.nowMs());
const HOSTILE = '=1+1<script>';

const query = (text: string, values: unknown[] = []) => site.database.pool.query(text, values);

/** Figures of a store on a day in the past. */
async function count(
  store: TestStore,
  daysAgo: number,
  { network = '', completed = 0, expired = 0, created = 0 } = {},
) {
  const seconds = (spans: number) => Array.from({ length: 19 }, (_none, place) => (place === spans ? completed : 0));
  await query(
    `insert into store_days (store_id, day, network, token, created, completed, expired, volume_usd, fee_micro_usd, detect_counts, final_counts)
     values ($1, $2, $3, $3, $4, $5::integer, $6, $5::integer * 10.5, $5::integer * 100000, $7, $8)`,
    [store.id, addDays(TODAY, -daysAgo), network, created, completed, expired, seconds(2), seconds(8)],
  );
}

beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
  const ring = await openKeyRing(site.path);
  live = await openStore(site.database, { ring });
  const stranger = await openStore(site.database, { ring });
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    live.merchantAccountId,
  ]);
  owner = await makeMember(site, 'owner', {
    account: rows[0]?.code ?? '',
    merchantAccountId: live.merchantAccountId,
  });
  await count(live, 0, { created: 4, expired: 1 });
  await count(live, 0, { network: 'BSC', completed: 3 });
  await count(live, 6, { network: HOSTILE, completed: 2 });
  await count(live, 7, { network: 'BSC', completed: 10 });
  await count(live, 30, { network: 'BSC', completed: 1_000 });
  await count(stranger, 0, { network: 'BSC', completed: 5_000 });
  await query(
    `insert into endpoints (store_id, url, host, failures, failing_since, answered_at)
     values ($1, 'https://shop.test', $2, 3, now(), now()), ($3, 'https://other.test', 'other.test', 3, now(), null)`,
    [live.id, HOSTILE, stranger.id],
  );
});
afterAll(() => site.close());

type Data = Record<string, unknown>;
const ask = async ({ person, account }: RigMember, path: string) => {
  const { status, body } = await person.browser.send('GET', `/accounts/${account}${path}`);
  return { status, data: (body.data ?? {}) as Data, code: body.error_code };
};
/** Whether the first page calls for attention to unmatched money, and whether the list has any. */
async function shown(member: RigMember, path: string): Promise<unknown[]> {
  const { unmatched_money: called } = (await ask(member, path)).data['attention'] as Data;
  const { transfers } = (await ask(member, '/unmatched')).data as { transfers: unknown[] };
  return [called, transfers.length > 0];
}
const as = (role: Role) => makeMember(site, role, owner);

/** An exchange account at which a store receives. */
async function addExchangeAccount({ id, merchantAccountId }: TestStore, account: string): Promise<void> {
  const network = 'EXCHANGE_PAY:BINANCE';
  await query(
    `with account as (
       insert into exchange_accounts (network, account, merchant_account_id, secret_id, base_url, key_hint, bound_to_addresses,
         is_sub_account, added_at, checked_at, check_due_at)
       select $1, $2, $3, min(id), 'https://x.test', 'abcd', true, true, now(), now(), now() from secrets)
     insert into receiving_addresses values ($1, $2, $3, now())`,
    [network, account, merchantAccountId],
  );
  await query(
    `insert into wallets (store_id, merchant_account_id, network, family, address, added_at) values ($1, $2, $3, $3, $4, now())`,
    [id, merchantAccountId, network, account],
  );
}

describe('the first page', () => {
  test('adds up today, seven days and thirty days, of the own stores only', async () => {
    const { data } = await ask(owner, '/home');
    expect(data['today']).toEqual({
      created: 4,
      completed: 3,
      expired: 1,
      cancelled: 0,
      late: 0,
      success_permille: 750,
      volume_usd: '31.50',
      fee_usd: '0.30',
      detect: { median_ms: 2_500, p95_ms: 2_950 },
      final: { median_ms: 37_500, p95_ms: 44_250 },
    });
    expect(data['week']).toMatchObject({ created: 4, completed: 5, volume_usd: '52.50' });
    expect(data['month']).toMatchObject({ completed: 15, expired: 1, volume_usd: '157.50', fee_usd: '1.50' });
  });

  test('tells how long each balance lasts, and what needs attention, as it is stored', async () => {
    await query('update balances set available_micro_usd = 3000000 where store_id = $1', [live.id]);
    const { data } = await ask(owner, '/home');
    const balances = data['balances'] as Data[];
    expect(balances.find((one) => one['merchant_id'] === live.merchantId)).toEqual({
      merchant_id: live.merchantId,
      available_usd: '3.00',
      days_left: 42,
      low: false,
      empty: false,
    });
    expect(data['attention']).toEqual({
      failing_receivers: [{ merchant_id: live.merchantId, host: HOSTILE, since: expect.any(Number) }],
      unmatched_money: false,
      waiting_methods: [],
      faulty_accounts: [],
      ending_keys: [],
    });
    expect(data['steps']).toEqual({
      store: true,
      method: true,
      funded: true,
      webhook: true,
      live_payment: true,
      test_payment: false,
    });
  });

  test('sees unmatched money, waiting methods, accounts with faults and keys that end', async () => {
    const other = await openStore(site.database, { ring: await openKeyRing(site.path) });
    const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
      other.merchantAccountId,
    ]);
    const place = { account: rows[0]?.code ?? '', merchantAccountId: other.merchantAccountId };
    const reader = await makeMember(site, 'owner', place);
    expect((await ask(reader, '/home')).data['attention']).toMatchObject({ unmatched_money: false });
    await query(
      `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at, reason)
       select network, 'x', '0', 'USDT', 'p', address, 1, 1, '0x', now(), now(), 'short' from wallets where store_id = $1`,
      [other.id],
    );
    await query(
      `insert into method_changes (code, merchant_account_id, store_id, kind, network, family, address, requested_by, requested_at,
         effective_at, state) values ('MCH-HOME', $1, $2, 'wallet', 'ETH', 'evm', '0x1', 'x', now(), to_timestamp(2000000000), 'pending')`,
      [other.merchantAccountId, other.id],
    );
    await addExchangeAccount(other, '77');
    await query(`update exchange_accounts set fault = 'cannot-read', faulty_since = now() where account = '77'`);
    await query(`update api_keys set expires_at = now() + interval '1 day' where store_id = $1`, [other.id]);
    expect((await ask(reader, '/home')).data['attention']).toEqual({
      failing_receivers: [],
      unmatched_money: true,
      waiting_methods: [{ merchant_id: other.merchantId, network: 'ETH', effective_at: 2_000_000_000 }],
      faulty_accounts: [{ network: 'EXCHANGE_PAY:BINANCE', account: '77', fault: 'cannot-read', stopped: false }],
      ending_keys: [{ merchant_id: other.merchantId, hint: other.apiKey.slice(-4), ends_at: expect.any(Number) }],
    });
    expect((await ask(owner, '/home')).data['attention']).toMatchObject({ unmatched_money: false, ending_keys: [] });
    await query(
      `insert into dismissed_transfers (transfer_id, merchant_account_id, note, dismissed_by, dismissed_at)
       select t.id, $1, 'not ours', 'x', now() from transfers t join wallets w on w.address = t.to_address where w.store_id = $2`,
      [other.merchantAccountId, other.id],
    );
    expect((await ask(reader, '/home')).data['attention']).toMatchObject({ unmatched_money: false });
  });

  test.each<[Role, string]>([
    ['admin', 'balances fees failing_receivers waiting_methods faulty_accounts ending_keys'],
    ['developer', 'failing_receivers waiting_methods faulty_accounts ending_keys'],
    ['finance', 'balances fees waiting_methods faulty_accounts'],
    ['viewer', ''],
  ])('shows %s what the role may see: %s', async (role, expected) => {
    const { data } = await ask(await as(role), '/home');
    const seen = [
      data['balances'] !== null && 'balances',
      (data['today'] as Data)['fee_usd'] !== null && 'fees',
      ...Object.entries(data['attention'] as Data)
        .filter(([name]) => name !== 'unmatched_money')
        .map(([name, value]) => value !== null && name),
    ].filter(Boolean);
    expect(seen.join(' ')).toBe(expected);
    expect((data['today'] as Data)['completed']).toBe(3);
  });

  test('calls for attention only to money that the list shows: to none in the sandbox, none meant for a store unseen', async () => {
    const ring = await openKeyRing(site.path);
    const sandbox = await openStore(site.database, { ring, test: true });
    const shop = await openStore(site.database, { ring });
    const { rows: wallets } = await query('select address from wallets where store_id = $1', [shop.id]);
    const beside = await openBeside(site.database, shop, String(wallets[0]?.address));
    const meant = await quoteInvoice(site.database, beside, '50');
    await receiveUnmatched(site.database, meant.to, { amount: '49', quoteId: meant.quoteId });
    await query(
      `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at, reason)
       select network, 'sandbox-short', '0', 'USDT', 'p', address, 1, 1, '0x', now(), now(), 'short' from wallets where store_id = $1 limit 1`,
      [sandbox.id],
    );
    const limited = await makeMember(site, 'finance', { account: '', merchantAccountId: shop.merchantAccountId });
    await limitMember(site, limited, [shop.id]);
    const whole = await makeMember(site, 'finance', limited);
    const tester = await makeMember(site, 'owner', { account: '', merchantAccountId: sandbox.merchantAccountId });
    expect(await shown(tester, '/home?mode=test')).toEqual([false, false]);
    expect(await shown(limited, '/home')).toEqual([false, false]);
    expect(await shown(whole, '/home')).toEqual([true, true]);
  });

  test.each([
    ['checked a day ago', `checked_at = now() - interval '24 hours'`, []],
    ['not checked for 25 hours', `checked_at = now() - interval '25 hours 1 minute'`, [['not-checked', false]]],
    ['with a key that ends', `key_expires_at = '2026-01-02T00:00:00Z'`, [['ends: 2026-01-02T00:00:00.000Z', false]]],
    ['that is stopped', `stopped_at = now(), stop_reason = 'x', stopped_by = 'x'`, [[null, true]]],
  ])('shows an exchange account that is not offered: %s', async (title, change, expected) => {
    const shop = await openStore(site.database, { ring: await openKeyRing(site.path) });
    const reader = await makeMember(site, 'owner', { account: '', merchantAccountId: shop.merchantAccountId });
    await addExchangeAccount(shop, title);
    await query(`update exchange_accounts set ${change} where account = $1`, [title]);
    const { faulty_accounts: faulty } = (await ask(reader, '/home')).data['attention'] as { faulty_accounts: Data[] };
    expect(faulty.map(({ fault, stopped }) => [fault, stopped])).toEqual(expected);
  });

  test('does not call for attention to money that left the chain', async () => {
    const shop = await openStore(site.database, { ring: await openKeyRing(site.path) });
    const reader = await makeMember(site, 'owner', { account: '', merchantAccountId: shop.merchantAccountId });
    const quoted = await quoteInvoice(site.database, shop, '50');
    await receiveUnmatched(site.database, quoted.to, { amount: '49', quoteId: quoted.quoteId });
    const isCalled = async () => ((await ask(reader, '/home')).data['attention'] as Data)['unmatched_money'];
    expect(await isCalled()).toBe(true);
    await query('update transfers set canonical = false where to_address = $1', [quoted.to]);
    expect(await isCalled()).toBe(false);
  });

  test.each([
    ['that sells', 1, true],
    ['that is idle', 0, false],
  ])('says whether the empty balance of a store is low: %s', async (_title, completed, expected) => {
    const shop = await openStore(site.database, { ring: await openKeyRing(site.path), creditMicroUsd: 0n });
    const reader = await makeMember(site, 'owner', { account: '', merchantAccountId: shop.merchantAccountId });
    await count(shop, 0, { network: 'BSC', completed });
    await query('update store_days set fee_micro_usd = 0 where store_id = $1', [shop.id]);
    const balances = (await ask(reader, '/home')).data['balances'];
    expect(balances).toMatchObject([{ available_usd: '0.00', days_left: null, low: expected }]);
  });

  test('counts nothing of a store that its reader does not see', async () => {
    const reader = await as('viewer');
    await query(`update memberships m set all_stores = false from people p where p.id = m.person_id and p.code = $1`, [
      reader.person.code,
    ]);
    const { data } = await ask(reader, '/home');
    expect([data['month'], data['steps']]).toMatchObject([{ completed: 0, created: 0 }, { store: false }]);
  });
});

const path = (search = '') => `/stores/${live.merchantId}/days${search}`;

describe('the days of a store', () => {
  test('are listed with their methods and totals, the newest first', async () => {
    const { data } = await ask(owner, path(`?from=${addDays(TODAY, -6)}&to=${TODAY}`));
    const days = data['days'] as Data[];
    expect(days.map((day) => [day['day'], day['completed'], day['fee_usd']])).toEqual([
      [TODAY, 3, '0.30'],
      [addDays(TODAY, -6), 2, '0.20'],
    ]);
    expect(days[1]?.['methods']).toMatchObject([{ network: HOSTILE, completed: 2, volume_usd: '21.00' }]);
    expect(data['totals']).toMatchObject({
      created: 4,
      completed: 5,
      expired: 1,
      volume_usd: '52.50',
      fee_usd: '0.50',
    });
  });

  test('are the last thirty unless something else is asked for, and show viewers no fees', async () => {
    const { data } = await ask(await as('viewer'), path());
    expect(data).toMatchObject({ from: addDays(TODAY, -29), to: TODAY, totals: { completed: 15, fee_usd: null } });
    expect(JSON.stringify(data)).not.toContain('"0.30"');
  });

  test.each([
    '?from=2026-02-30',
    '?from=yesterday',
    '?from=2024-01-01&to=2025-01-01',
    '?from=2026-02-02&to=2026-02-01',
    '?to=20261-01-01',
    '?day=2026-01-01',
    '?from=2026-01-01&from=2026-01-02',
  ])('refuse %s', async (search) => {
    expect(await ask(owner, path(search))).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  });

  test('are at most a year', async () => {
    expect(await ask(owner, path('?from=2024-01-01&to=2024-12-31'))).toMatchObject({ status: 200 });
    expect((await ask(owner, path('?from=2023-01-01'))).data).toMatchObject({ to: '2024-01-01' });
  });
});

const settings = async ({ person, account }: RigMember) => {
  const { body } = await person.browser.send('GET', '/me/notifications');
  const accounts = body.data?.['accounts'] as { account: string; wanted: Data }[];
  return accounts.find((one) => one.account === account)?.wanted;
};

describe('what mails tell', () => {
  test('is whatever the role may know, until the member chooses', async () => {
    const finance = await as('finance');
    expect(await settings(finance)).toEqual({ balance: true, 'unmatched-money': true, 'exchange-keys': true });
    const wanted = { balance: false };
    const { account } = finance;
    expect(await finance.person.browser.send('PUT', '/me/notifications', { account, wanted })).toMatchObject({
      status: 200,
    });
    expect(await settings(finance)).toEqual({ balance: false, 'unmatched-money': true, 'exchange-keys': true });
    await finance.person.browser.send('PUT', '/me/notifications', { account, wanted: { balance: true } });
    expect(await settings(finance)).toMatchObject({ balance: true });
  });

  test.each([
    [{ account: 'ACC-0000000000000000', wanted: { balance: false } }, 404],
    [{ account: 'own', wanted: { weather: false } }, 400],
    [{ account: 'own', wanted: { balance: 'no' } }, 400],
    [{ account: 'own' }, 400],
  ])('cannot be chosen by %j', async ({ account, ...body }, status) => {
    const asked = { ...body, account: account === 'own' ? owner.account : account };
    expect(await owner.person.browser.send('PUT', '/me/notifications', asked)).toMatchObject({ status });
  });
});
