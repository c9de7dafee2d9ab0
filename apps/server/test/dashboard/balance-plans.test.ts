import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { listStatement, readBalance } from '../../src/dashboard/balance-sql.ts';
import { actAs } from '../../src/db/act-as.ts';
import { closeDatabase } from '../../src/db/database.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { countTopups, findTopup, offersTopups } from '../../src/topups/topup-sql.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { RecordingDatabase } from '../../rig/growth/recorded-plans.ts';
import { buffersOf, nodesOf, openRecordingDatabase } from '../../rig/growth/recorded-plans.ts';

/** What a statement about a balance reads does not grow with the trade of the store, nor with that of all others. */

const STORES = 300;
const INVOICES = 12_000;
const GROWING = /^(invoices|ledger_entries.*|topups|balances|stores)$/;
/** Pages for 51 rows, each with the code of its top-up. */
const MOST_PAGES = 260;
const PAGE = 51;

/** The first store has most of the rows, the last one has none. */
const SEED = `
insert into plans (code, fee_rate_percent, created_at) values ('plan', 0.5, now());
insert into merchants (name, created_at) select 'm' || n, now() from generate_series(1, ${STORES}) n;
insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
  select n, 'MID-' || n, 'A', 's', 1, now() from generate_series(1, ${STORES}) n;
insert into people (code, name, mail_normal, mail_shown, language, created_at)
  select 'PER-' || n, 'p', n || '@a.test', n || '@a.test', 'en', now() from generate_series(1, ${STORES}) n;
insert into memberships (merchant_account_id, person_id, role, since) select n, n, 'owner', now() from generate_series(1, ${STORES}) n;
insert into balances (store_id) select n from generate_series(1, ${STORES}) n;
insert into invoices (store_id, trans_id, status, amount_usd, created_at, expires_at, fee_micro_usd)
  select case when n % 2 = 0 then 1 else 1 + n % ${STORES - 1} end, 'TID-' || lpad(n::text, 16, '0'),
    case when n % 500 = 0 then 'waiting' else 'expired' end, 5, now(), now() + interval '1 hour', 1
  from generate_series(1, ${INVOICES}) n;
insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
  select date_trunc('month', now()), store_id, 'hold', 'available', 'held', 1, id, 1, now() from invoices;
insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, at)
  select date_trunc('month', now()), store_id, 'topup', 'funding', 'available', 1, id, now() from invoices where id % 5 = 0;
insert into topups (code, store_id, micro_usd, requested_by, return_url, created_at, at_store_id, invoice_id, trans_id, expires_at)
  select 'TOP-' || lpad(id::text, 16, '0'), store_id, 5000000, 'test', 'https://a.test', now() - id * interval '1 minute', 1, id, trans_id, now()
  from invoices where id % 5 = 0;
analyze`;

let own: TestDatabase;
let views: RecordingDatabase;
let dashboard: RecordingDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  await own.database.pool.query(SEED);
  views = openRecordingDatabase(own.url, 1, 'views');
  dashboard = openRecordingDatabase(own.url, 1, 'dashboard');
});
afterAll(async () => {
  await Promise.all([views, dashboard].map(({ database }) => closeDatabase(database)));
  await own.drop();
});

/**
 * Requires that what is sent reads few pages, and no growing table whole. It is sent twice: a first call also reads the
 * database's catalog.
 */
async function expectCheap({ take }: RecordingDatabase, send: () => Promise<unknown>): Promise<void> {
  await send();
  await send();
  const sent = take().filter(({ label, warm }) => label.includes('-sql ') && warm);
  expect(sent.length).toBeGreaterThan(0);
  const whole = sent.flatMap(({ label, plan }) =>
    nodesOf(plan)
      .filter((node) => node['Node Type'] === 'Seq Scan' && GROWING.test(node['Relation Name'] ?? ''))
      .map((node) => `${label}: ${node['Relation Name']}`),
  );
  expect(whole).toEqual([]);
  const dear = sent.filter(({ plan }) => buffersOf(plan) > MOST_PAGES);
  expect(dear.map(({ label, plan }) => `${label}: ${buffersOf(plan)}`)).toEqual([]);
}

describe.each([
  ['with most of the rows', 1n],
  ['without any', BigInt(STORES)],
])('for a store %s', (_title, id) => {
  const scope = { personId: id };
  const looking = () => actAs(views.database, scope, { prepared: false }).queries;

  test('the balance is read by indexes', async () => {
    expect((await readBalance(looking(), id, 100)).openInvoices).toBe(id === 1n ? 24 : 0);
    await expectCheap(views, () => readBalance(looking(), id, 100));
  });

  test.each([undefined, BigInt(INVOICES) + 500n])(
    'a page of the statement before %s is read by an index',
    async (before) => {
      await expectCheap(views, () => listStatement(looking(), id, { before, limit: PAGE }));
    },
  );

  test('top-ups are found and counted by indexes', async () => {
    const acting = actAs(dashboard.database, scope, { prepared: true });
    const found = await findTopup(acting.queries, id, `TOP-${'10'.padStart(16, '0')}`);
    expect(found !== undefined).toBe(id === 1n);
    await expectCheap(dashboard, async () => {
      await findTopup(acting.queries, id, 'TOP-0');
      await offersTopups(acting.queries, true);
      await inTransaction(acting, (tx) => countTopups(tx, id, { since: new Date(0), limit: 20 }));
    });
  });
});
