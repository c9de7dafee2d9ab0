import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createFindEnds, dueAtAccounts, endsAtAccounts } from '../../src/invoices/expiry-sql.ts';
import { expireDueInvoices } from '../../src/invoices/expire-due-invoices.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import { CLAIMS_WITH_HINTS } from '../../src/accounts/follow-accounts.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';

/** Thousands of accounts cost expiry little, also when many invoices wait for an account that is not covered. */

const ACCOUNTS = 1_000;
const DUE_PER_ACCOUNT = 10;
const STUCK = 50_000;
/** Most invoices that a round ends at accounts. */
const BATCH = 500;
/** Most pages that a round reads for each account: its coverage, a probe of the index, and rows that ended before. */
const PAGES_PER_ACCOUNT = 25;
const clock = createManualClock(systemClock.nowMs());

let own: TestDatabase;
let store: TestStore;

/** Seeds accounts. Account 0 is stuck: it was never read, and has more invoices than all others together. */
async function seed(): Promise<void> {
  // A plain connection, because seeding may take longer than a server's time limit.
  const client = new pg.Client({ connectionString: own.url });
  await client.connect();
  const query = (text: string, values: unknown[] = []) => client.query(text, values);
  const now = new Date(clock.nowMs());
  await query(
    `insert into chains (network, height, hash, block_time, head_height, head_time) values ('SOL', 1000, '', $1, 1000, $1)`,
    [now],
  );
  await query(
    `insert into followed_accounts (network, account, state, start_at, open_until)
     select 'SOL', 'a' || n, 'following', $1, $1 from generate_series(0, $2::integer) n`,
    [now, ACCOUNTS],
  );
  await query(
    `insert into chain_coverage (network, scope, tier, height, block_time)
     select 'SOL', 'a' || n, 'finalized', 1000, $1::timestamptz - case when n = 0 then interval '1 day' else interval '0' end
     from generate_series(0, $2::integer) n`,
    [now, ACCOUNTS],
  );
  await query(
    `with due as (
       insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd, gate_network, gate_tier, gate_scope)
       select $1, 'TID-' || lpad(n::text, 16, '0'), 50, $2::timestamptz - interval '30 minutes', $2::timestamptz - interval '1 minute', 0, 'SOL',
         'finalized', 'a' || case when n > $3::integer then 0 else 1 + n % $4::integer end
       from generate_series(1, $3::integer + $5::integer) n returning id, created_at, gate_scope)
     insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units, finality,
       price_sources, held_from)
     select id, 'SOL', 'USDT', gate_scope, 50, 1, created_at, id, 'finalized', '[]', created_at from due`,
    [store.id, now, ACCOUNTS * DUE_PER_ACCOUNT, ACCOUNTS, STUCK],
  );
  await query('analyze');
  await client.end();
}

beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  store = await openStore(own.database, { clock, wallet: false });
  await seed();
});
afterAll(() => own.drop());

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
};
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

async function planOf(query: RawBuilder<unknown>): Promise<PlanNode> {
  const { rows } = await sql<{
    'QUERY PLAN': { Plan: PlanNode }[];
  }>`explain (analyze, buffers, format json) ${query}`.execute(own.database.queries);
  const root = rows[0]?.['QUERY PLAN'][0]?.Plan;
  if (!root) throw new Error('No plan was told.');
  return root;
}

/** Tables that grow with invoices or accounts and were scanned whole. */
const readWhole = (root: PlanNode) =>
  nodesOf(root)
    .filter((node) => node['Node Type'] === 'Seq Scan')
    .map((node) => node['Relation Name'] ?? '')
    .filter((name) => name === 'invoices' || name === 'chain_coverage');

test('a round probes the index once for each account, and reads no table of invoices or coverage whole', async () => {
  const root = await planOf(dueAtAccounts(BATCH));
  expect(readWhole(root)).toEqual([]);
  expect(root['Actual Rows']).toBe(BATCH);
});

test('the ends that wait for accounts are found by one probe each, however many wait behind one', async () => {
  const accounts = Array.from({ length: CLAIMS_WITH_HINTS }, (_one, place) => `a${place}`);
  expect(readWhole(await planOf(endsAtAccounts('SOL', accounts)))).toEqual([]);
  // Only the stuck account is not covered past the ends.
  const ends = await createFindEnds(own.as('worker').queries)('SOL', accounts);
  expect([...ends.keys()]).toEqual(['a0']);
});

test('10,000 due invoices at 1,000 accounts expire in full rounds, and none at the account that is stuck', async () => {
  const rounds = (ACCOUNTS * DUE_PER_ACCOUNT) / BATCH;
  for (let round = 0; round < rounds; round += 1)
    expect(await expireDueInvoices({ database: own.as('worker'), clock })).toBe(BATCH);
  expect(await expireDueInvoices({ database: own.as('worker'), clock })).toBe(0);
  const { rows } = await own.database.pool.query(
    'select status, count(*)::integer from invoices group by status order by 1',
  );
  expect(rows).toEqual([
    { status: 'expired', count: ACCOUNTS * DUE_PER_ACCOUNT },
    { status: 'waiting', count: STUCK },
  ]);
});

test('a round that finds nothing due reads a few pages for each account, and no table of invoices or coverage whole', async () => {
  const root = await planOf(dueAtAccounts(BATCH));
  expect(root['Actual Rows']).toBe(0);
  expect(readWhole(root)).toEqual([]);
  expect(root['Shared Hit Blocks'] + root['Shared Read Blocks']).toBeLessThan(ACCOUNTS * PAGES_PER_ACCOUNT);
});
