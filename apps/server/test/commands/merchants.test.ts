import type { Role } from '@counterfoil/core/permission.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { CommandLine } from '../../rig/commands/command-line.ts';
import { openCommandLine } from '../../rig/commands/command-line.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { nextAddress, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { addMember } from '../../src/people/add-member.ts';
import { createPerson } from '../../src/people/create-person.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { removeWallet } from '../../src/wallets/remove-wallet.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';

/** Commands that list and show merchants and their stores. */

const MANY = 450;
const PAGE = 200;
const ADDRESS = nextAddress();
const REMOVED = nextAddress();

let own: TestDatabase;
let line: CommandLine;
let store: TestStore;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  line = openCommandLine(own);
  store = await openStore(own.database, { discountPercent: '12.5', wallet: false, creditMicroUsd: 12_345_600n });
});
afterAll(() => own.drop());

const context = () => ({ networks: NETWORKS, database: own.database, clock: systemClock, jobs: undefined });

async function join(mail: string, role: Role): Promise<string> {
  const person = { mail: { normal: mail, shown: mail }, name: mail, language: 'en', operatorRole: null } as const;
  const { code } = await createPerson(context(), TESTER, person);
  await addMember(context(), TESTER, { merchantAccountId: store.merchantAccountId, personCode: code, role });
  return code;
}

test('merchant show names the owners, and the plan, balance and payment methods of every store', async () => {
  const owner = await join('owner@acme.test', 'owner');
  await join('viewer@acme.test', 'viewer');
  for (const address of [ADDRESS, REMOVED])
    await addWallet(context(), TESTER, { store: store.ref, network: 'BSC', address, now: { reason: 'test' } });
  await removeWallet(context(), TESTER, { store: store.ref, network: 'BSC', address: REMOVED, reason: 'test' });
  const shown = await line.ask('merchant', 'show', '--merchant', String(store.merchantAccountId));
  expect(shown).toEqual({
    merchant: String(store.merchantAccountId),
    code: expect.stringMatching(/^ACC-/) as string,
    name: 'Test merchant',
    active: true,
    shard: expect.stringMatching(/^[A-Z0-9]$/) as string,
    created_at: expect.stringMatching(/^20/) as string,
    two_factor_required: false,
    method_delay_hours: 24,
    owners: [{ person: owner, name: 'owner@acme.test', email: 'owner@acme.test', two_factor: false, disabled: false }],
    store_count: 1,
    stores: [
      {
        store: store.merchantId,
        name: 'Test store',
        live: true,
        active: true,
        created_at: expect.stringMatching(/^20/) as string,
        plan: 'lifted',
        fee_percent: '0.5',
        minimum_fee_usd: '0.00',
        discount_percent: '12.5',
        creates_per_second: 1_000_000,
        creates_per_minute: 1_000_000,
        lookups_per_second: 1_000_000,
        lookups_per_minute: 1_000_000,
        available_usd: '12.3456',
        overdraft_limit_usd: '0.00',
        payment_methods: [
          { network: 'BSC', address: expect.any(String) as string, added_at: expect.stringMatching(/^20/) as string },
        ],
      },
    ],
  });
  const { code } = shown as { code: string };
  expect(await line.ask('merchant', 'show', '--merchant', code)).toEqual(shown);
});

test('merchant show prints no secret of a store, and each store as an indented block for people', async () => {
  const printed = await line.print('merchant', 'show', '--merchant', String(store.merchantAccountId));
  expect(printed).toContain(
    `\nstores\n  - store                ${store.merchantId}\n    name                 Test store\n`,
  );
  expect(printed.toLowerCase()).toContain(ADDRESS.toLowerCase());
  for (const secret of [store.apiKey, store.webhookSecret, 'cf_live_', 'whsec_']) expect(printed).not.toContain(secret);
});

test('merchant show tells of locked payment methods, a shorter delay to come, and a merchant that is switched off', async () => {
  const off = await openStore(own.database);
  const merchant = ['--merchant', String(off.merchantAccountId)];
  await line.ask('method', 'delay', ...merchant, '--hours', '2', '--reason', 'test');
  await line.ask('method', 'lock', ...merchant, '--reason', 'test');
  await line.ask('merchant', 'deactivate', ...merchant);
  await line.ask('store', 'deactivate', '--store', off.merchantId);
  expect(await line.ask('merchant', 'show', ...merchant)).toMatchObject({
    active: false,
    method_delay_hours: 24,
    shorter_delay_hours: 2,
    shorter_delay_from: expect.stringMatching(/^20/) as string,
    methods_locked_by: expect.stringMatching(/^cli:/) as string,
    owners: [],
    stores: [{ active: false }],
  });
});

test('a merchant that does not exist is refused by number and by code', async () => {
  for (const named of ['999999999', 'ACC-NONE'])
    expect(await line.refusal('merchant', 'show', '--merchant', named)).toBe(`There is no merchant ${named}.`);
});

test('merchant show is limited to the newest stores of the merchant, and says how many there are', async () => {
  const many = await openStore(own.database);
  await own.database.pool.query(
    `with added as (
       insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
       select merchant_account_id, 'MID-MANY' || lpad(n::text, 8, '0'), shard, 's' || n, plan_id, now()
       from stores, generate_series(1, ${MANY}) n where id = $1 returning id)
     insert into balances (store_id) select id from added`,
    [many.id],
  );
  const merchant = ['--merchant', String(many.merchantAccountId)];
  const { store_count: count, stores } = (await line.ask('merchant', 'show', ...merchant)) as {
    store_count: number;
    stores: { name: string }[];
  };
  expect([count, stores.length, stores[0]?.name]).toEqual([MANY + 1, 50, `s${MANY}`]);
});

/** All items of a list, page by page; every page but the last is full. */
async function readPages(words: readonly string[], keyOf: (item: Record<string, string>) => string): Promise<string[]> {
  const keys: string[] = [];
  for (let after: string[] = []; ;) {
    const page = (await line.ask(...words, ...after)) as Record<string, string>[];
    keys.push(...page.map(keyOf));
    if (page.length < PAGE) return keys;
    after = ['--after', keys.at(-1) ?? ''];
  }
}

const storesOf = (words: string[]) => readPages(['store', 'list', ...words], ({ merchantId = '' }) => merchantId);
const idsOf = (words: string[]) => readPages(['merchant', 'list', ...words], ({ merchant = '' }) => merchant);

test('stores are listed page by page, each exactly once, of one merchant or of all', async () => {
  const { rows } = await own.database.pool.query<{ code: string; merchant: bigint }>(
    'select merchant_id as code, merchant_account_id as merchant from stores order by id desc',
  );
  expect(await storesOf([])).toEqual(rows.map(({ code }) => code));
  const { merchant } = rows[0] ?? { merchant: 0n };
  const ofMerchant = rows.filter((one) => one.merchant === merchant).map(({ code }) => code);
  expect(ofMerchant.length).toBeGreaterThan(2 * PAGE);
  expect(await storesOf(['--merchant', String(merchant)])).toEqual(ofMerchant);
  expect(await line.refusal('store', 'list', '--after', 'MID-X')).toBe('There is no store MID-X.');
});

test('merchants are listed page by page, newest first, each exactly once, with a part of the name in any case', async () => {
  await own.database.pool.query(
    `insert into merchants (name, active, created_at)
     select case when n % 2 = 0 then 'Even_Shop ' else 'Odd%Shop ' end || n, n > 1, now() from generate_series(1, ${MANY}) n`,
  );
  const { rows } = await own.database.pool.query<{ id: bigint; name: string }>(
    'select id, name from merchants order by id desc',
  );
  expect(await idsOf([])).toEqual(rows.map(({ id }) => String(id)));
  const even = rows.filter(({ name }) => name.startsWith('Even')).map(({ id }) => String(id));
  expect(await idsOf(['--name', 'even_shop'])).toEqual(even);
  expect(await line.ask('merchant', 'list', '--name', 'e%p')).toEqual([]);
  expect(await line.ask('merchant', 'list', '--name', '_')).toHaveLength(PAGE);
  expect(await line.ask('merchant', 'list', '--name', 'test MERCHANT')).toMatchObject([
    { stores: String(MANY + 1), active: true },
    { stores: '1', active: false },
    { stores: '1', code: expect.stringMatching(/^ACC-/) as string, created_at: expect.stringMatching(/^20/) as string },
  ]);
});

test('a name that a merchant chose is printed on one line, without characters that a terminal acts on', async () => {
  const name = 'Mean\u001b[2J\nactive  true\u009b1A\u202e';
  await own.database.pool.query('insert into merchants (name, active, created_at) values ($1, true, now())', [name]);
  const printed = await line.print('merchant', 'list', '--name', 'mean');
  expect(printed).toContain('Mean\\u001b[2J\\u000aactive  true\\u009b1A\\u202e\n');
  expect(printed).not.toMatch(/(?!\n)\p{C}/u);
  expect(await line.print('merchant', 'list', '--name', 'mean', '--json')).not.toMatch(/\p{C}/u);
  expect(await line.ask('merchant', 'list', '--name', 'mean')).toMatchObject([{ name }]);
});
