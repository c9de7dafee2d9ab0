import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { quoteInvoice, receiveUnmatched } from '../../rig/invoices/make-unmatched.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';

/** Lists of invoices in the dashboard: filters, pages, and whose invoices they show. */

const MARKUP = '=<script>alert(1)</script>&"\'';
const DAY = 86_400;
const NOW = 1_790_000_000;

let site: DashboardSite;
let owner: RigMember;
let first: TestStore;
let secondCode: string;

type Seed = {
  store?: string;
  name?: string | null;
  status?: string;
  late?: boolean;
  amount?: string;
  createdAt?: number;
  callback?: string | null;
  quote?: [network: string, token: string];
};

let seeded = 0;

function nextCode(): string {
  seeded += 1;
  return `TID-${String(seeded).padStart(16, '0')}`;
}

/** Adds an invoice as rows; the newest is the one that was added last. */
async function seed(options: Seed = {}): Promise<string> {
  const transId = nextCode();
  const { store = first.merchantId, status = 'expired', late = false, amount = '5', callback = null } = options;
  const [network, token] = options.quote ?? [null, null];
  await site.database.pool.query(
    `with made as (
       insert into invoices (store_id, trans_id, request_id, status, late, amount_usd, name, created_at, expires_at, fee_micro_usd,
         callback_status, transaction_hash, from_address)
       select s.id, $2, 'order-' || $2, $3, $4, $5, $6, to_timestamp($7), to_timestamp($7 + 1800), 1, $8,
         case when $3 = 'completed' then '0xab' end, case when $3 = 'completed' then '0xcd' end
       from stores s where s.merchant_id = $1 returning id),
     quote as (
       insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units,
         finality, price_sources, held_from)
       select id, $9, $10, '0x1', 5, 1, now(), 5, 'safe', '[]', now() from made where $9::text is not null returning id, invoice_id)
     select 1`,
    [store, transId, status, late, amount, options.name ?? null, options.createdAt ?? NOW, callback, network, token],
  );
  await site.database.pool.query(
    `update invoices i set quote_id = q.id from quotes q where q.invoice_id = i.id and i.trans_id = $1`,
    [transId],
  );
  return transId;
}

type Page = { ids: string[]; next: string | null };

async function list(query: string, as = owner): Promise<Page> {
  const { status, body } = await as.person.browser.send('GET', `/accounts/${as.account}/invoices${query}`);
  expect(status).toBe(200);
  const { invoices, next } = body.data as { invoices: { trans_id: string }[]; next: string | null };
  return { ids: invoices.map(({ trans_id: transId }) => transId), next };
}

/** Follows a list to its end. */
async function listAll(query: string, as = owner): Promise<string[]> {
  const ids: string[] = [];
  let after = '';
  for (let pages = 0; pages < 100; pages += 1) {
    const page = await list(`?${query}${after}`, as);
    ids.push(...page.ids);
    if (page.next === null) return ids;
    after = `&after=${page.next}`;
  }
  throw new Error('The list has no end.');
}

const made: Record<string, string> = {};

beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
  first = await openStore(site.database, { ring: await openKeyRing(site.path) });
  const { merchantAccountId } = first;
  const { rows } = await site.database.pool.query<{ code: string; second: string }>(
    `insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
     select $1::bigint, 'MID-SECOND', 'A', 'Second', min(id), now() from plans
     returning merchant_id as second, (select code from merchants where id = $1::bigint) as code`,
    [merchantAccountId],
  );
  secondCode = rows[0]?.second ?? '';
  owner = await makeMember(site, 'owner', { account: rows[0]?.code ?? '', merchantAccountId });
  made['old'] = await seed({ createdAt: NOW - 10 * DAY });
  made['waiting'] = await seed({ status: 'waiting', amount: '7.5' });
  made['processing'] = await seed({ status: 'processing', quote: ['BSC', 'USDT'] });
  made['completed'] = await seed({ status: 'completed', callback: 'success', quote: ['ETH', 'USDC'], amount: '100' });
  made['late'] = await seed({ status: 'completed', late: true, callback: 'failed', quote: ['ETH', 'USDT'] });
  made['second'] = await seed({ store: secondCode, name: MARKUP, quote: ['sandbox:ETH', 'USDT'] });
  made['dear'] = await seed({ amount: '999999.99999999', createdAt: NOW + DAY });
});
afterAll(() => site.close());

const ALL = ['dear', 'second', 'late', 'completed', 'processing', 'waiting', 'old'];

describe('a list of invoices', () => {
  test('shows the invoices of all stores of the merchant, the newest first', async () => {
    expect(await list('')).toEqual({ ids: ALL.map((name) => made[name]), next: null });
  });

  test('shows each field, and texts as they are', async () => {
    const { body } = await owner.person.browser.send('GET', `/accounts/${owner.account}/invoices?store=${secondCode}`);
    expect(body.data?.['invoices']).toEqual([
      {
        trans_id: made['second'],
        store: secondCode,
        mode: 'live',
        request_id: `order-${made['second']}`,
        status: 'expired',
        cancelled: false,
        late: false,
        arrived: false,
        amount: '5.00',
        currency: null,
        currency_amount: null,
        name: MARKUP,
        created_at: NOW,
        expires_at: NOW + 1_800,
        network: 'sandbox:ETH',
        token: 'USDT',
        token_amount: '5',
        transaction_hash: null,
        callback_status: null,
      },
    ]);
  });

  test.each([
    [`store=MID-SECOND`, ['second']],
    ['status=waiting', ['waiting']],
    ['status=processing', ['processing']],
    ['status=completed', ['late', 'completed']],
    ['status=expired', ['dear', 'second', 'old']],
    ['status=late', ['late']],
    ['network=BSC', ['processing']],
    ['network=ETH', ['second', 'late', 'completed']],
    ['network=sandbox:ETH', ['second']],
    ['network=NOWHERE', []],
    ['token=USDC', ['completed']],
    ['min_amount=7.5', ['dear', 'completed', 'waiting']],
    ['max_amount=7.49999999', ['second', 'late', 'processing', 'old']],
    [`from=${NOW}`, ['dear', 'second', 'late', 'completed', 'processing', 'waiting']],
    [`to=${NOW}`, ['old']],
    [`from=${NOW + 1}`, ['dear']],
    ['callback=failed', ['late']],
    ['status=completed&callback=failed', ['late']],
    ['status=late&network=ETH&token=USDT', ['late']],
    ['status=completed&network=ETH&token=USDC&min_amount=100&max_amount=100', ['completed']],
    [`status=expired&from=${NOW - DAY}&to=${NOW + 1}&max_amount=5`, ['second']],
    [`store=MID-SECOND&status=waiting`, []],
  ])('with %s shows %j', async (query, expected) => {
    expect(await listAll(query)).toEqual(expected.map((name) => made[name]));
  });

  test.each([
    'status=paid',
    'min_amount=1e3',
    'from=yesterday',
    'callback=success',
    'after=%00',
    'page=2',
    'mode=both',
    'mode=live&mode=test',
    'status=late&status=late',
  ])('refuses %s', async (query) => {
    const { status, body } = await owner.person.browser.send('GET', `/accounts/${owner.account}/invoices?${query}`);
    expect([status, body.error_code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  test.each(['after=TID-ZZZZZZZZZZZZZZZZ', 'store=MID-NOWHERE'])('knows nothing of %s', async (query) => {
    const answer = await owner.person.browser.send('GET', `/accounts/${owner.account}/invoices?${query}`);
    expect(answer.status).toBe(404);
  });
});

describe('pages', () => {
  test('show every invoice once, while others are added', async () => {
    const { other, ids } = await fillOther(120);
    const seen: string[] = [];
    let after = '';
    for (;;) {
      const page = await list(after, other);
      seen.push(...page.ids);
      await seed({ store: ids.store });
      if (page.next === null) break;
      expect(page.ids).toHaveLength(50);
      after = `?after=${page.next}`;
    }
    expect(seen).toEqual(ids.all);
  });

  test('of one mode show every invoice of the live stores, or of the test stores, once', async () => {
    const { other, ids } = await fillOther(120);
    const testStore = `${ids.store}T`;
    await site.database.pool.query(
      `insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, live, created_at)
       select merchant_account_id, $2, shard, 'Test', plan_id, false, now() from stores where merchant_id = $1`,
      [ids.store, testStore],
    );
    const tests: string[] = [];
    const lives: string[] = [];
    // The newest invoices of both lie between each other.
    for (let pair = 0; pair < 60; pair += 1) {
      tests.unshift(await seed({ store: testStore, status: pair % 2 === 0 ? 'waiting' : 'expired' }));
      lives.unshift(await seed({ store: ids.store }));
    }
    expect(await listAll('mode=live', other)).toEqual([...lives, ...ids.all]);
    expect(await listAll('mode=test', other)).toEqual(tests);
    expect((await listAll('', other)).length).toBe(lives.length + ids.all.length + tests.length);
    const begin = await list('?mode=test', other);
    expect(begin.ids).toEqual(tests.slice(0, 50));
    expect((await list(`?mode=test&after=${begin.next}`, other)).ids).toEqual(tests.slice(50));
    const waiting = tests.filter((_id, place) => place % 2 === 1);
    expect(await listAll('mode=test&status=waiting', other)).toEqual(waiting);
    expect(await list(`?mode=test&store=${testStore}`, other)).toMatchObject({ ids: tests.slice(0, 50) });
    expect(await list(`?mode=live&store=${testStore}`, other)).toEqual({ ids: [], next: null });
  });

  test('of a mode that no store has are empty', async () => {
    const { other } = await fillOther(3);
    expect(await list('?mode=test', other)).toEqual({ ids: [], next: null });
  });

  test('go on where nothing was found, until all was looked at', async () => {
    const { other, ids } = await fillOther(30);
    await site.database.pool.query(
      `insert into invoices (store_id, trans_id, status, amount_usd, created_at, expires_at, fee_micro_usd)
       select s.id, 'TID-N' || lpad(n::text, 15, '0'), 'expired', 1, now(), now() + interval '1 hour', 1
       from stores s, generate_series(1, 11000) n where s.merchant_id = $1`,
      [ids.store],
    );
    const page = await list('?min_amount=5', other);
    expect(page.ids).toEqual([]);
    expect(page.next).toMatch(/^TID-N/);
    expect(await listAll('min_amount=5', other)).toEqual(ids.all);
  });
});

/** Another merchant with some invoices; `all` are their codes, newest first. */
async function fillOther(count: number): Promise<{ other: RigMember; ids: { store: string; all: string[] } }> {
  const store = await openStore(site.database, { ring: await openKeyRing(site.path) });
  const { merchantAccountId, merchantId } = store;
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    merchantAccountId,
  ]);
  const other = await makeMember(site, 'viewer', { account: rows[0]?.code ?? '', merchantAccountId });
  const codes = Array.from({ length: count }, nextCode);
  await site.database.pool.query(
    `insert into invoices (store_id, trans_id, status, amount_usd, created_at, expires_at, fee_micro_usd)
     select s.id, c.code, 'expired', 5, now(), now() + interval '1 hour', 1
     from stores s, unnest($2::text[]) with ordinality as c (code, place) where s.merchant_id = $1 order by c.place`,
    [merchantId, codes],
  );
  return { other, ids: { store: merchantId, all: codes.toReversed() } };
}

describe('a member of some stores', () => {
  test('sees the invoices of these stores only, and begins no page at others', async () => {
    const member = await makeMember(site, 'finance', owner);
    await site.database.pool.query(
      `with narrowed as (update memberships m set all_stores = false from people p
         where p.id = m.person_id and p.code = $1 returning m.*)
       insert into membership_stores select m.merchant_account_id, m.person_id, s.id
       from narrowed m join stores s on s.merchant_id = $2`,
      [member.person.code, secondCode],
    );
    expect(await list('', member)).toEqual({ ids: [made['second']], next: null });
    for (const query of [`store=${first.merchantId}`, `after=${made['dear']}`]) {
      const answer = await member.person.browser.send('GET', `/accounts/${owner.account}/invoices?${query}`);
      expect(answer.status).toBe(404);
    }
    const asked = `ids=${made['second']},${made['dear']}`;
    const { body } = await member.person.browser.send('GET', `/accounts/${owner.account}/changes?${asked}`);
    expect(body.data?.['invoices']).toMatchObject([{ trans_id: made['second'] }]);
    const found = await member.person.browser.send('GET', `/accounts/${owner.account}/search?q=${made['dear']}`);
    expect(found.body.data).toEqual({ results: [] });
    const { status } = await member.person.browser.send('GET', `/accounts/${owner.account}/invoices/${made['dear']}`);
    expect(status).toBe(404);
  });
});

const read = async (path: string) =>
  (await owner.person.browser.send('GET', `/accounts/${owner.account}${path}`)).body.data ?? {};
const invoicesOf = async (path: string) => (await read(path))['invoices'] as { trans_id: string; arrived: boolean }[];

describe('an expired invoice', () => {
  type Money = Parameters<typeof receiveUnmatched>[2];
  const NOT_ITS_OWN: Partial<Money> = { quoteId: null };

  /** An ended invoice with received money; returns how the list, its changes and its own page show it. */
  async function tellArrived(status: string, money: Partial<Money> | undefined, change = ''): Promise<boolean[]> {
    const { transId, quoteId, to } = await quoteInvoice(site.database, first, '40');
    if (money) {
      const id = await receiveUnmatched(site.database, to, { amount: '39', quoteId, ...money });
      if (change) await site.database.pool.query(`update transfers set ${change} where id = $1`, [id]);
    }
    await site.database.pool.query('update invoices set status = $2 where trans_id = $1', [transId, status]);
    const listed = (await invoicesOf('/invoices')).find((one) => one.trans_id === transId);
    const [changed] = await invoicesOf(`/changes?ids=${transId}`);
    const { transfers } = await read(`/invoices/${transId}`);
    const stray = (transfers as { canonical: boolean; pays: boolean; reason: string | null }[]).some(
      (one) => one.canonical && !one.pays && one.reason !== null,
    );
    return [listed?.arrived === true, changed?.arrived === true, stray && status === 'expired'];
  }

  test.each([
    ['without money', 'expired', undefined, '', false],
    ['with money that is short', 'expired', {}, '', true],
    [
      'with money of its own that came too late',
      'expired',
      { reason: 'late' },
      'invoice_id = (select invoice_id from quotes q where q.id = quote_id)',
      true,
    ],
    ['with money that the chain took back', 'expired', {}, 'canonical = false', false],
    ['with money at its address that was meant for no invoice', 'expired', NOT_ITS_OWN, '', false],
    ['that is in fact waiting, with money that is short', 'waiting', {}, '', false],
  ])(
    '%s is told so by the list, by its changes and by its own page alike',
    async (_, status, money, change, arrived) => {
      expect(await tellArrived(status, money, change)).toEqual([arrived, arrived, arrived]);
    },
  );
});

describe('changes', () => {
  test('are told once: the same answer is not sent again', async () => {
    const transId = await seed({ status: 'waiting' });
    const path = `/accounts/${owner.account}/changes?ids=${transId},TID-ZZZZZZZZZZZZZZZZ`;
    const { body, headers } = await owner.person.browser.send('GET', path);
    expect(body.data).toEqual({
      invoices: [
        { trans_id: transId, status: 'waiting', cancelled: false, late: false, arrived: false, callback_status: null },
      ],
    });
    const tag = headers.get('etag') ?? '';
    const ask = () =>
      fetch(`${site.server.url}/api/dashboard${path}`, {
        headers: { cookie: owner.person.browser.cookie, 'if-none-match': tag },
      });
    const same = await ask();
    expect([same.status, await same.text()]).toEqual([304, '']);
    await site.database.pool.query(`update invoices set status = 'expired' where trans_id = $1`, [transId]);
    const changed = await ask();
    expect([changed.status, await changed.json()]).toMatchObject([
      200,
      { data: { invoices: [{ status: 'expired' }] } },
    ]);
  });

  test.each(['', 'ids=', `ids=${Array.from({ length: 51 }, () => 'TID-AAAAAAAAAAAAAAAA').join(',')}`])(
    'are not told for %j',
    async (query) => {
      const answer = await owner.person.browser.send('GET', `/accounts/${owner.account}/changes?${query}`);
      expect(answer.status).toBe(400);
    },
  );
});
