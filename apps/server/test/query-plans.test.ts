import { createHash } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Prepared } from '../src/db/database.ts';
import { FACTS_STATEMENT } from '../src/checkout/checkout-facts-sql.ts';
import { CHANGES_STATEMENT } from '../src/invoices/change-feed-sql.ts';
import { LOOKUP_STATEMENT } from '../src/invoices/invoice-sql.ts';
import { CREATE_STATEMENT } from '../src/invoices/new-invoice-sql.ts';
import { ADD_KEY_USES_STATEMENT } from '../src/stores/key-use-sql.ts';
import { ADMIT_STATEMENTS, ADMIT_STORE_STATEMENTS } from '../src/stores/admission-sql.ts';
import type { TestDatabase } from '../rig/database/test-database.ts';
import { openTestDatabase } from '../rig/database/test-database.ts';

/** The number of rows that a hot statement reads must not depend on the size of the tables. */

const STORES = 2_000;
const INVOICES = 20_000;
const MUST_USE_AN_INDEX = [
  'api_keys',
  'api_key_days',
  'stores',
  'merchants',
  'invoices',
  'quotes',
  'wallets',
  'balances',
  'admissions',
  'ledger_entries',
  'transfers',
  'brands',
  'logos',
  'invoice_changes',
];

/** Seeds by one script, because the verbs would take minutes. */
const SEED = `
insert into key_ring_keys (id, check_value) values ('k1', '');
insert into plans (code, fee_rate_percent, created_at)
  select 'plan-' || n, 0.5, now() from generate_series(1, 3) n;
insert into merchants (name, created_at) select 'm' || n, now() from generate_series(1, ${STORES}) n;
insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
  select n, 'MID-' || lpad(n::text, 12, '0'), 'A', 's' || n, 1 + n % 3, now() from generate_series(1, ${STORES}) n;
insert into secrets (purpose, ring_key_id, sealed) select 'p' || n, 'k1', '' from generate_series(1, ${STORES}) n;
insert into api_keys (store_id, hash, secret_id, hint, created_at)
  select n, sha256(n::text::bytea), n, 'abcd', now() from generate_series(1, ${STORES}) n;
insert into api_key_days (key_id, store_id, day, calls, last_used_at)
  select id, store_id, current_date, 1, now() from api_keys;
insert into balances (store_id, available_micro_usd) select n, 1000000000 from generate_series(1, ${STORES}) n;
insert into receiving_addresses (family, address, merchant_account_id, claimed_at)
  select 'evm', '0x' || n, n, now() from generate_series(1, ${STORES}) n;
insert into wallets (store_id, merchant_account_id, network, family, address, added_at)
  select n, n, 'BSC', 'evm', '0x' || n, now() from generate_series(1, ${STORES}) n;
insert into admissions select 's' || n, 'create', 1, 5, now(), 1, now(), 1 from generate_series(1, ${STORES}) n;
insert into admissions select 's' || n, 'lookup', 1, 5, now(), 1, now(), 1 from generate_series(1, ${STORES}) n;
insert into invoices (store_id, trans_id, request_id, amount_usd, created_at, expires_at, fee_micro_usd, quote_id)
  select 1 + n % ${STORES}, 'TID-' || lpad(n::text, 16, '0'), 'order-' || n, 50, now(), now() + interval '30 minutes',
    250000, n from generate_series(1, ${INVOICES}) n;
insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units,
    finality, price_sources, held_from)
  select id, 'BSC', 'USDT', '0x1', 50, 1, now(), id, 'finalized', '[]', now() from invoices order by id;
insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
  select date_trunc('month', now()), store_id, 'hold', 'available', 'held', 250000, id, 1, now() from invoices;
insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
    quote_id, invoice_id, reason)
  select 'BSC', 'tx' || n, '0', 'USDT', 'f', '0x1', 50, n, 'h', now(), now(), n, case when n % 2 = 0 then n end,
    case when n % 2 = 1 then 'short' end from generate_series(1, ${INVOICES}) n;
insert into brands (store_id, display_name) select n, 'b' from generate_series(1, ${STORES}) n;
insert into invoice_changes (invoice_id) select n from generate_series(1, ${INVOICES}) n;
analyze`;

let own: TestDatabase;
let client: pg.PoolClient;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  const seeder = new pg.Client({ connectionString: own.url });
  await seeder.connect();
  await seeder.query(SEED);
  await seeder.end();
  // The connection is opened as by the server: its settings influence the plan.
  client = await own.database.pool.connect();
});
afterAll(async () => {
  client.release();
  await own.drop();
});

test('the server asks for generic plans, which are the ones judged here', async () => {
  const { rows } = await client.query('show plan_cache_mode');
  expect(rows).toEqual([{ plan_cache_mode: 'force_generic_plan' }]);
});

type PlanNode = { 'Node Type': string; 'Relation Name'?: string; Plans?: PlanNode[] } & Record<string, unknown>;

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

type Value = string | number | Date | null | readonly Value[];

function literal(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'string' || typeof value === 'number') return pg.escapeLiteral(String(value));
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  return `array[${value.map(literal).join(', ')}]`;
}

/** Type of an array parameter, as the statement casts it: `execute` needs it explicitly. */
function castOf(statement: Prepared, position: number): string {
  return new RegExp(`\\$${position}::([a-z]+(?:\\[\\])?)`).exec(statement.text)?.[1] ?? 'text';
}

/** Generic plan of a prepared statement, executed and rolled back. */
async function explain(statement: Prepared, values: readonly Value[]): Promise<PlanNode[]> {
  const name = `plan_${statement.name.replaceAll('-', '_')}`;
  await client.query('begin');
  try {
    await client.query(`prepare ${name} as ${statement.text}`);
    const given = values.map((value, index) => `${literal(value)}::${castOf(statement, index + 1)}`).join(', ');
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `explain (analyze, buffers, format json) execute ${name} (${given})`,
    );
    const root = rows[0]?.['QUERY PLAN'][0]?.Plan;
    if (!root) throw new Error('No plan was told.');
    return nodesOf(root);
  } finally {
    await client.query('rollback');
    await client.query(`deallocate ${name}`);
  }
}

function scannedWhole(nodes: readonly PlanNode[]): string[] {
  return nodes
    .filter((node) => node['Node Type'].includes('Seq Scan'))
    .map((node) => node['Relation Name'] ?? '')
    .filter((name) => MUST_USE_AN_INDEX.some((table) => name === table || name.startsWith(`${table}_`)));
}

/** Hash of a store's key as seeded, in the database's notation of bytes. */
const hashOf = (store: number) => `\\x${createHash('sha256').update(String(store)).digest('hex')}`;

function createValues(stores: readonly number[]): Value[] {
  const each = (value: (store: number) => Value) => stores.map(value);
  return [
    each((store) => store),
    each((store) => `TID-${`NEW${store}`.padEnd(16, 'X')}`),
    each((store) => `new-${store}`),
    each(() => '50'),
    ...Array.from({ length: 5 }, () => each(() => null)),
    each(() => new Date(Date.UTC(2026, 10, 15))),
    each(() => new Date(Date.UTC(2026, 10, 16))),
    each(() => 250_000),
    each(() => '2026-11-01'),
    each(() => 30),
    each(() => '{"cart":"1"}'),
    each(() => 'BSC:USDT,TRC20:USDT'),
    each(() => 'EUR'),
    each(() => '46.13'),
    each(() => '1.0838'),
    each(() => '{"sources":[]}'),
  ];
}

const SOME = [7, 77, 777];

describe.each([1, 3])('with %i requests in one statement', (count) => {
  const stores = SOME.slice(0, count);

  test.each(['create', 'lookup'] as const)('admitting a %s finds every row by an index', async (endpoint) => {
    const values = [stores.map(hashOf), stores.map(() => '192.0.2.1'), stores.map(() => 1)];
    const nodes = await explain(ADMIT_STATEMENTS[endpoint], values);
    expect(scannedWhole(nodes)).toEqual([]);
    expect(nodes[0]?.['Actual Rows']).toBe(count);
    expect(nodes.some((node) => node['Relation Name'] === 'admissions')).toBe(true);
  });

  test('adding uses of keys finds every row by an index', async () => {
    const at = new Date(Date.UTC(2026, 10, 17));
    const nodes = await explain(ADD_KEY_USES_STATEMENT, [
      stores.map(hashOf),
      stores.map(() => 2),
      stores.map(() => at),
    ]);
    expect(scannedWhole(nodes)).toEqual([]);
    expect(nodes.some((node) => node['Relation Name'] === 'api_keys')).toBe(true);
  });

  test.each(['create', 'sandbox'] as const)('admitting members to %s finds every row by an index', async (endpoint) => {
    const nodes = await explain(ADMIT_STORE_STATEMENTS[endpoint], [stores, stores.map(() => ''), stores.map(() => 1)]);
    expect(scannedWhole(nodes)).toEqual([]);
    expect(nodes[0]?.['Actual Rows']).toBe(count);
  });

  test('creating invoices finds every row by an index', async () => {
    const nodes = await explain(CREATE_STATEMENT, createValues(stores));
    expect(scannedWhole(nodes)).toEqual([]);
    expect(nodes.some((node) => node['Relation Name'] === 'balances')).toBe(true);
  });

  test('looking invoices up finds every row by an index', async () => {
    // Invoice n belongs to store 1 + n: the statement must find rows for its plan to count.
    const codes = stores.map((store) => `TID-${String(store).padStart(16, '0')}`);
    const nodes = await explain(LOOKUP_STATEMENT, [stores.map((store) => store + 1), codes]);
    expect(scannedWhole(nodes)).toEqual([]);
    expect(nodes[0]?.['Actual Rows']).toBe(count);
  });
});

test.each([1, 3])('the facts of %i checkout pages are found by indexes', async (count) => {
  const codes = SOME.slice(0, count).map((id) => `TID-${String(id).padStart(16, '0')}`);
  const nodes = await explain(FACTS_STATEMENT, [codes]);
  expect(scannedWhole(nodes)).toEqual([]);
  expect(nodes[0]?.['Actual Rows']).toBe(count);
  const read = nodes.filter((node) => node['Relation Name'] === 'transfers').map((node) => Number(node['Actual Rows']));
  expect(Math.max(...read)).toBe(1);
});

test('the change feed reads what is new, however much is old', async () => {
  const { rows } = await client.query<{ position: string }>('select pg_current_snapshot()::text as position');
  await own.database.pool.query('insert into invoice_changes (invoice_id) values (1), (2)');
  const nodes = await explain(CHANGES_STATEMENT, [rows[0]?.position ?? '', 1_000]);
  expect(scannedWhole(nodes)).toEqual([]);
  const read = nodes.filter((node) => node['Relation Name'] === 'invoice_changes');
  expect(read.reduce((sum, node) => sum + Number(node['Actual Rows']), 0)).toBe(2);
  expect(read.filter((node) => 'Rows Removed by Filter' in node)).toEqual([]);
});

test('the check itself sees a table that is read whole', async () => {
  const nodes = await explain({ name: 'whole', text: 'select count(name) from stores where name = $1::text' }, ['s1']);
  expect(scannedWhole(nodes)).toEqual(['stores']);
});
