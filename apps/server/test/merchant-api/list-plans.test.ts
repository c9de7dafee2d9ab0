import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { pagesPerCall } from '../../rig/database/measure-buffers.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { StoreRef } from '../../src/db/store-ref.ts';
import type { StoreListQuery } from '../../src/invoices/list-store-invoices.ts';
import { listStoreInvoices } from '../../src/invoices/list-store-invoices.ts';
import { INVOICE_STATUSES } from '../../src/invoices/invoice.ts';

/** Pages that a list by API key touches: as few for a status with three invoices as for one with thousands. */

const OTHERS = 200;
const OF_OTHERS = 20;
/** Store 1 has mostly waiting invoices, store 2 mostly processing ones, and so on; the next one has none at all. */
const LARGE = 6_000;
const RARE = 3;
/** Open invoices of stores 1 and 2: they last a day at most, and are found among each other. */
const IN_FLIGHT = 1_000;
/** Three rows in a row of each store are of its other statuses, this often. */
const EVERY = LARGE / RARE;
const EMPTY = INVOICE_STATUSES.length + OTHERS + 1;
const STATUS_LIST = `array['${INVOICE_STATUSES.join("','")}']`;

/** Inserts the rows of `numbers`, which have a store, a status and a number; the oldest has the highest number. */
const insertOf = (numbers: string) => `
insert into invoices (store_id, trans_id, request_id, status, amount_usd, created_at, expires_at, fee_micro_usd,
    transaction_hash, from_address, ended_at)
  select store, 'TID-' || lpad(store::text, 8, '0') || lpad(n::text, 8, '0'), 'order-' || n, status, 5,
    now() - n * interval '1 minute', now() + interval '1 hour', 0, case when status = 'completed' then 'hash' end,
    case when status = 'completed' then 'from' end, case when status in ('completed', 'expired') then now() - n * interval '1 minute' end
  from (${numbers}) r order by n desc`;

const SEED = `
insert into plans (code, fee_rate_percent, created_at) values ('plan', 0.5, now());
insert into merchants (name, created_at) select 'm' || n, now() from generate_series(1, ${EMPTY}) n;
insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
  select n, 'MID-' || n, 'A', 's', 1, now() from generate_series(1, ${EMPTY}) n;
${insertOf(`select s as store, n, (${STATUS_LIST})[case when n % ${EVERY} < 3 then 1 + (s + n % ${EVERY}) % 4 else s end] as status
    from generate_series(1, ${LARGE}) n, generate_series(1, ${INVOICE_STATUSES.length}) s
    where n <= ${IN_FLIGHT} or s > 2 or n % ${EVERY} < 3`)};
${insertOf(`select ${INVOICE_STATUSES.length} + s as store, n, (${STATUS_LIST})[1 + n % 4] as status
    from generate_series(1, ${OF_OTHERS}) n, generate_series(1, ${OTHERS}) s`)};
insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units, finality,
    price_sources, held_from)
  select id, 'BSC', 'USDT', '0x' || store_id, 5, 1, now(), id, 'safe', '[]', now() from invoices order by id;
update invoices i set quote_id = q.id from quotes q where q.invoice_id = i.id`;

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  const seeder = new pg.Client({ connectionString: own.url });
  await seeder.connect();
  await seeder.query(SEED);
  await seeder.query('vacuum full invoices');
  await seeder.query('vacuum analyze');
  await seeder.end();
});
afterAll(() => own.drop());

const ALL: StoreListQuery = {
  order: 'newest',
  limit: 20,
  status: undefined,
  requestId: undefined,
  since: undefined,
  until: undefined,
  after: undefined,
};
/** Minutes before now, as rows are seeded one per minute. */
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const list = (store: number, query: StoreListQuery) =>
  listStoreInvoices(
    { database: own.database },
    { kind: 'key', storeId: BigInt(store) },
    {
      ...query,
      store: { id: BigInt(store) } as StoreRef,
    },
  );

async function pagesOf(store: number, query: StoreListQuery): Promise<{ rows: number; pages: number }> {
  const { rows } = await list(store, query);
  const pages = await pagesPerCall(own.database.pool, own.database.queries, () => list(store, query));
  return { rows: rows.length, pages };
}

const STORES = INVOICE_STATUSES.map((most, at) => [at + 1, most] as const);
const QUERIES: [
  name: string,
  query: Partial<Omit<Extract<StoreListQuery, { order: 'newest' }>, 'order'>>,
  mostPages: number,
][] = [
  ['all', {}, 300],
  ['old ones', { since: ago(LARGE - 50), until: ago(LARGE - 100) }, 700],
  ['those since long ago', { since: ago(LARGE * 2) }, 500],
  ['an order', { requestId: 'order-4000' }, 60],
  ...INVOICE_STATUSES.flatMap((status): typeof QUERIES => [
    [`${status} ones`, { status }, 300],
    [`old ${status} ones`, { status, since: ago(LARGE + 50), until: ago(LARGE - 100) }, 700],
  ]),
];

describe.each(STORES)('store %i, with mostly %s invoices', (store, mostly) => {
  test.each(QUERIES)('a page of %s touches few pages', async (_name, query, most) => {
    const { pages } = await pagesOf(store, { ...ALL, ...query });
    expect(pages).toBeLessThanOrEqual(most);
  });

  test('three of each other status are found', async () => {
    for (const status of INVOICE_STATUSES.filter((one) => one !== mostly)) {
      const { rows } = await list(store, { ...ALL, status });
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.length).toBeLessThanOrEqual(RARE);
    }
  });

  test('a page of changes touches few pages, wherever it begins', async () => {
    for (const since of [undefined, ago(LARGE / 2), ago(-10)]) {
      const { pages } = await pagesOf(store, { order: 'changed', limit: 20, since, after: undefined });
      expect(pages).toBeLessThanOrEqual(300);
    }
  });

  test('a deep page touches as few as the first', async () => {
    const { rows } = await list(store, { ...ALL, since: ago(LARGE - 50), limit: 1 });
    const { pages } = await pagesOf(store, { ...ALL, after: rows[0] && { transId: rows[0].trans_id } });
    expect(pages).toBeLessThanOrEqual(300);
  });
});

test.each(QUERIES)('a store without invoices has an empty page of %s at once', async (_name, query, most) => {
  const { rows, pages } = await pagesOf(EMPTY, { ...ALL, ...query });
  expect(rows).toBe(0);
  expect(pages).toBeLessThanOrEqual(most);
});
