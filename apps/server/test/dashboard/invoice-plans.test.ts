import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { CompiledQuery } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { roleUrl } from '../../rig/database/role-database.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { Queries } from '../../src/db/database.ts';
import type { Tables } from '../../src/db/tables.ts';
import {
  readAttemptFacts,
  readAuditedFacts,
  readDeliveryFacts,
  readEventFacts,
  readInvoiceFact,
  readLedgerFacts,
  readNamedFacts,
  readQuoteFacts,
  readTransferFacts,
} from '../../src/invoices/invoice-fact-sql.ts';
import {
  findFirstSince,
  findListedId,
  lookAtInvoices,
  readListedInvoices,
  readTransId,
} from '../../src/invoices/invoice-list-sql.ts';
import { readStates } from '../../src/invoices/invoice-state-sql.ts';
import {
  searchByCode,
  searchByCodePrefix,
  searchByEvent,
  searchByHashPrefix,
  searchByReceiver,
  searchByRequestId,
  searchBySender,
  searchByTransaction,
} from '../../src/invoices/search-sql.ts';
import { searchRecent, searchUnmatchedAmounts } from '../../src/invoices/recent-search-sql.ts';
import { listAuditOfMerchant } from '../../src/stores/merchant-audit-sql.ts';
import { listVisibleStores } from '../../src/stores/member-store-sql.ts';

/**
 * What a statement of the lists reads must not grow with the tables: neither for a merchant with many rows, nor for one
 * without any, whose rows the planner may expect nowhere.
 */

const STORES = 300;
/** Invoices of all stores together, and those of the first one besides. */
const SPREAD = 4_000;
const OF_FIRST = 8_000;
const INVOICES = SPREAD + OF_FIRST;
/** Tables with so few rows may be read whole. */
const FEW_ROWS = 1_000;

const SEED = `
insert into plans (code, fee_rate_percent, created_at) values ('plan', 0.5, now());
insert into merchants (name, created_at) select 'm' || n, now() from generate_series(1, ${STORES}) n;
insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
  select n, 'MID-' || n, 'A', 's', 1, now() from generate_series(1, ${STORES}) n;
insert into people (code, name, mail_normal, mail_shown, language, created_at)
  select 'PER-' || n, 'p', n || '@a.test', n || '@a.test', 'en', now() from generate_series(1, ${STORES}) n;
insert into memberships (merchant_account_id, person_id, role, since) select n, n, 'owner', now() from generate_series(1, ${STORES}) n;
insert into receiving_addresses (family, address, merchant_account_id, claimed_at)
  select 'evm', '0x' || n, n, now() from generate_series(1, ${STORES}) n;
insert into wallets (store_id, merchant_account_id, network, family, address, added_at)
  select n, n, 'BSC', 'evm', '0x' || n, now() from generate_series(1, ${STORES}) n;
insert into invoices (store_id, trans_id, request_id, status, amount_usd, created_at, expires_at, fee_micro_usd, quote_id, callback_status)
  select case when n <= ${SPREAD} then 1 + n % ${STORES - 1} else 1 end, 'TID-' || lpad(n::text, 16, '0'), 'order-' || n,
    case when n % 100 = 0 then 'waiting' else 'expired' end, 5, now() - (${INVOICES} - n) * interval '1 minute', now() + interval '1 hour', 1, n,
    case when n % 1000 = 0 then 'failed' else 'success' end
  from generate_series(1, ${INVOICES}) n;
insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units, finality,
    price_sources, held_from)
  select id, 'BSC', 'USDT', '0x' || store_id, 5, 1, now(), id, 'safe', '[]', now() from invoices order by id;
insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
    quote_id, invoice_id)
  select 'BSC', 'tx' || id, 'USDT:0', 'USDT', 'exchange', '0x' || store_id, 5, id, 'h', now(), now(), id, id from invoices order by id;
insert into events (event_id, store_id, invoice_id, sequence, type, created_at)
  select 'evt_' || id, store_id, id, 1, 'invoice.expired', now() from invoices order by id;
insert into endpoints (store_id, url, host) select n, 'https://shop', 'shop' from generate_series(1, ${STORES}) n;
insert into deliveries (event_row_id, endpoint_id, store_id, invoice_id, sequence, host, state, next_attempt_at, created_at)
  select id, store_id, store_id, invoice_id, 1, 'shop', 'delivered', now(), now() from events order by id;
insert into attempts (at, delivery_id, number, duration_ms, request_headers) select now(), id, 1, 1, '{}' from deliveries;
insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
  select date_trunc('month', now()), store_id, 'hold', 'available', 'held', 1, id, 1, now() from invoices;
insert into named_transactions (invoice_id, network, tx_id, store_id, named_by)
  select id, 'BSC', 'tx' || id, store_id, 'payer' from invoices;
insert into audit_entries (id, at, actor, action, subject, details)
  select id, now(), 'cli:x', 'invoice.end', 'invoice:' || trans_id, '{}' from invoices`;

let own: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  const seeder = new pg.Client({ connectionString: own.url });
  await seeder.connect();
  await seeder.query(SEED);
  await seeder.query('vacuum analyze');
  await seeder.end();
  client = new pg.Client({ connectionString: roleUrl(own.url, 'views') });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await own.drop();
});

/** The statement that a function sends, without sending it. */
async function captured(send: (queries: Queries) => Promise<unknown>): Promise<CompiledQuery> {
  const sent: CompiledQuery[] = [];
  const queries = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void sent.push(query),
  });
  await send(queries);
  const [only] = sent;
  if (!only || sent.length > 1) throw new Error(`${sent.length} statements were sent.`);
  return only;
}

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
};

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** The plan of a statement as it is run for a person. */
async function planFor(person: number, send: (queries: Queries) => Promise<unknown>): Promise<PlanNode> {
  const { sql, parameters } = await captured(send);
  await client.query(`select set_config('counterfoil.person', $1, false)`, [String(person)]);
  const explain = () =>
    client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`explain (analyze, buffers, format json) ${sql}`, [
      ...parameters,
    ]);
  // The pages of PostgreSQL's own catalogue are read by the first run, and are not counted.
  await explain();
  const { rows } = await explain();
  const root = rows[0]?.['QUERY PLAN'][0]?.Plan;
  if (!root) throw new Error('No plan was told.');
  return root;
}

const TID = 'TID-0000000000004500';
const now = new Date();
const limit = 51;

/** Every statement, and how many pages it may touch; it is sent for a store with an id and its merchant. */
type Statement = [name: string, most: number, send: (queries: Queries, id: bigint) => Promise<unknown>];
const reach = (id: bigint, most: number) => [{ storeId: id, atLeast: 0n, below: 2n ** 62n, most }];
const look = (most: number, filter: Parameters<typeof lookAtInvoices>[2], isOpen = false) => {
  return (queries: Queries, id: bigint) => lookAtInvoices(queries, reach(id, most), filter, isOpen);
};
const sought = { networks: ['BSC', 'ETH'], txIds: ['tx4500'], limit };
const STATEMENTS: readonly Statement[] = [
  ['the newest invoices', 60, look(51, {}, true)],
  ['invoices by amount', 1_500, look(6_000, { minAmount: '7' })],
  ['open invoices', 1_500, look(600, { status: 'waiting' })],
  ['late invoices', 60, look(600, { status: 'late' })],
  ['invoices with failed callbacks', 200, look(600, { callbackFailed: true })],
  ['invoices by network', 12_000, look(1_300, { networks: ['ETH'] })],
  ['the first since a date', 250, (queries, id) => findFirstSince(queries, [id], new Date(now.getTime() - 864e5))],
  ['a cursor', 60, (queries, id) => findListedId(queries, [id], TID)],
  ['a code', 60, (queries) => readTransId(queries, 4_500n)],
  [
    'a page of rows',
    1_300,
    (queries) =>
      readListedInvoices(
        queries,
        Array.from({ length: 50 }, (_, n) => BigInt(4_500 + n)),
      ),
  ],
  [
    'states',
    400,
    (queries, id) =>
      readStates(
        queries,
        [id],
        Array.from({ length: 50 }, (_, n) => `TID-${4_500 + n}`.padStart(16, '0')),
      ),
  ],
  ['search by code', 60, (queries, id) => searchByCode(queries, [id], TID)],
  ['search by event', 80, (queries, id) => searchByEvent(queries, [id], 'evt_4500')],
  ['search by transaction', 250, (queries, id) => searchByTransaction(queries, [id], sought)],
  [
    'search by sender',
    1_500,
    (queries, id) => searchBySender(queries, [id], { merchantAccountId: id, addresses: ['exchange'], limit }),
  ],
  [
    'search by receiver',
    1_500,
    (queries, id) => searchByReceiver(queries, [id], { merchantAccountId: id, addresses: [`0x${id}`], limit }),
  ],
  ['search by code prefix', 500, (queries, id) => searchByCodePrefix(queries, [id], { prefix: 'TID-000000', limit })],
  [
    'search by hash prefix',
    2_500,
    (queries, id) => searchByHashPrefix(queries, [id], { networks: ['BSC', 'ETH'], prefixes: ['tx4500'], limit }),
  ],
  [
    'search by words',
    12_000,
    (queries, id) => searchRecent(queries, [id], { words: ['coffee'], amount: { from: '7', below: '8' }, limit }),
  ],
  [
    'search by unmatched amount',
    2_500,
    (queries, id) =>
      searchUnmatchedAmounts(queries, [id], {
        merchantAccountId: id,
        units: [{ network: 'BSC', token: 'USDT', from: 1n, below: 10n }],
        limit,
      }),
  ],
  ['search by order', 2_500, (queries, id) => searchByRequestId(queries, [id], { text: 'order-2', limit })],
  ['the invoice', 60, (queries, id) => readInvoiceFact(queries, [id], TID)],
  ['its quotes', 60, (queries) => readQuoteFacts(queries, 4_500n)],
  ['its transfers', 150, (queries) => readTransferFacts(queries, 4_500n, [4_500n])],
  ['its named transactions', 60, (queries) => readNamedFacts(queries, 4_500n)],
  ['its fees', 100, (queries) => readLedgerFacts(queries, 4_500n)],
  ['its events', 60, (queries) => readEventFacts(queries, 4_500n)],
  ['its deliveries', 80, (queries) => readDeliveryFacts(queries, 4_500n)],
  ['its attempts', 100, (queries) => readAttemptFacts(queries, [4_500n])],
  ['its audit', 60, (queries) => readAuditedFacts(queries, TID)],
  [
    'the audit of a merchant',
    150,
    (queries, id) => listAuditOfMerchant(queries, { merchantAccountId: id, below: 2n ** 62n, limit }),
  ],
  ...[undefined, true, false].map((live): (typeof STATEMENTS)[number] => [
    `visible stores${live === undefined ? '' : live ? ', live ones' : ', test ones'}`,
    100,
    (queries, id) =>
      listVisibleStores(
        queries,
        { personId: id, sessionHash: Buffer.from('x'), now },
        { merchantAccountId: id, live, limit: 200 },
      ),
  ]),
];

describe.each(STATEMENTS)('%s touch at most %i pages', (_name, most, send) => {
  test.each([
    ['a merchant with most of all invoices', 1],
    ['a merchant without any', STORES],
  ])('for %s', async (_whose, id) => {
    const plan = await planFor(id, (queries) => send(queries, BigInt(id)));
    const scanned = nodesOf(plan).filter((node) => node['Node Type'] === 'Seq Scan');
    const large = scanned.filter((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) > FEW_ROWS);
    const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    expect({ scanned: large.map((node) => node['Relation Name']), tooMany: pages > most && pages }).toEqual({
      scanned: [],
      tooMany: false,
    });
  });
});
