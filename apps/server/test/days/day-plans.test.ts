import type { CompiledQuery } from 'kysely';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { roleUrl } from '../../rig/database/role-database.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { listStoreDays } from '../../src/days/days-sql.ts';
import type { Queries } from '../../src/db/database.ts';
import type { Tables } from '../../src/db/tables.ts';
import {
  hasUnmatchedMoney,
  listAccountHealth,
  listEndingKeys,
  listFailingReceivers,
  listMoney,
  listWaitingMethods,
  readSteps,
  sumDays,
} from '../../src/home/home-sql.ts';
import { listSwitched } from '../../src/notices/notice-sql.ts';

/** The first page reads by indexes, in the role that reads it, also for a merchant that has none of the rows. */

const MERCHANTS = 2_000;
const GROWING = new Set([
  'store_days',
  'endpoints',
  'wallets',
  'transfers',
  'method_changes',
  'exchange_accounts',
  'api_keys',
  'balances',
  'stores',
  'notice_settings',
  'memberships',
  'people',
]);

const SEED = `
insert into key_ring_keys (id, check_value) values ('k1', '');
insert into secrets (purpose, ring_key_id, sealed) select 'p' || n, 'k1', '' from generate_series(1, ${MERCHANTS}) n;
insert into plans (code, fee_rate_percent, created_at) values ('plan', 0.5, now());
insert into merchants (name, created_at) select 'm' || n, now() from generate_series(1, ${MERCHANTS}) n;
insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
  select n, 'MID-' || n, 'A', 's' || n, 1, now() from generate_series(1, ${MERCHANTS}) n;
insert into people (code, mail_normal, mail_shown, name, language, created_at)
  select 'PER-' || n, n || '@x.test', n || '@x.test', 'p' || n, 'en', now() from generate_series(1, ${MERCHANTS}) n;
insert into memberships (merchant_account_id, person_id, role, since) select n, n, 'owner', now() from generate_series(1, ${MERCHANTS}) n;
insert into notice_settings select n, n, 'balance', false from generate_series(2, ${MERCHANTS}) n;
insert into balances (store_id) select n from generate_series(1, ${MERCHANTS}) n;
insert into store_days (store_id, day, network, token, completed, detect_counts, final_counts)
  select n, current_date - d, 'BSC', 'USDT', 1, '{1}', '{1}' from generate_series(2, ${MERCHANTS}) n, generate_series(0, 19) d;
insert into endpoints (store_id, url, host, failures, failing_since)
  select 2 + n % (${MERCHANTS} - 2), 'https://shop.test/' || n, 'shop.test', n % 2, case when n % 2 = 1 then now() end
  from generate_series(1, 20000) n;
insert into api_keys (store_id, hash, secret_id, hint, created_at)
  select n, sha256(n::text::bytea), n, 'abcd', now() from generate_series(2, ${MERCHANTS}) n;
insert into receiving_addresses (family, address, merchant_account_id, claimed_at)
  select 'evm', '0x' || n, n, now() from generate_series(2, ${MERCHANTS}) n;
insert into wallets (store_id, merchant_account_id, network, family, address, added_at)
  select n, n, 'BSC', 'evm', '0x' || n, now() from generate_series(2, ${MERCHANTS}) n;
insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at, reason)
  select 'BSC', 'tx' || n, '0', 'USDT', 'f', '0x' || (2 + n % (${MERCHANTS} - 2)), 50, n, 'h', now(), now(), 'short'
  from generate_series(1, 20000) n;
insert into method_changes (code, merchant_account_id, store_id, kind, network, family, address, requested_by, requested_at,
    effective_at, state, decided_by, decided_at)
  select 'MCH-' || n, n, n, 'wallet', 'BSC', 'evm', '0x', 'x', now(), now(), 'cancelled', 'x', now() from generate_series(2, ${MERCHANTS}) n;
insert into exchange_accounts (network, account, merchant_account_id, secret_id, base_url, key_hint, bound_to_addresses,
    is_sub_account, added_at, checked_at, check_due_at)
  select 'EXCHANGE_PAY:BINANCE', n::text, n, n, 'x', 'abcd', true, true, now(), now(), now() from generate_series(2, ${MERCHANTS}) n;
analyze`;

let own: TestDatabase;
let clients: Record<'views' | 'dashboard', pg.Client>;
/** Builds statements and remembers them; nothing is sent. */
let sent: CompiledQuery[];
let recorder: Queries;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  const seeder = new pg.Client({ connectionString: own.url });
  await seeder.connect();
  await seeder.query(SEED);
  await seeder.end();
  const open = async (role: 'views' | 'dashboard') => {
    const client = new pg.Client({ connectionString: roleUrl(own.url, role) });
    await client.connect();
    return client;
  };
  clients = { views: await open('views'), dashboard: await open('dashboard') };
  sent = [];
  recorder = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: own.database.pool }),
    log: ({ query }) => void sent.push(query),
  });
});
afterAll(async () => {
  await Promise.all(Object.values(clients).map((client) => client.end()));
  await own.drop();
});

type PlanNode = { 'Node Type': string; 'Relation Name'?: string; 'Actual Rows': number; Plans?: PlanNode[] };
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Plans of what a call sends, as a person of a role's connection; returns the tables that are read whole. */
async function readWhole(call: () => Promise<unknown>, person: number, role: 'views' | 'dashboard'): Promise<string[]> {
  sent.length = 0;
  await call();
  const client = clients[role];
  await client.query(`select set_config('counterfoil.person', $1, false)`, [String(person)]);
  const whole: string[] = [];
  for (const { sql, parameters } of sent) {
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `explain (analyze, format json) ${sql}`,
      [...parameters],
    );
    const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
    if (!plan) throw new Error('No plan was told.');
    const scans = nodesOf(plan).filter((node) => node['Node Type'] === 'Seq Scan');
    whole.push(...scans.map((node) => node['Relation Name'] ?? '').filter((name) => GROWING.has(name)));
  }
  expect(sent.length).toBeGreaterThan(0);
  return whole;
}

const now = new Date(Date.UTC(2026, 10, 17));
const TODAY = '2026-11-17';
type Call = (store: bigint) => Promise<unknown>;
const CALLS: Record<string, Call> = {
  'sums of days': (store) => sumDays(recorder, [store], TODAY),
  balances: (store) => listMoney(recorder, [store], TODAY),
  'the checklist': (store) => readSteps(recorder, { live: [store], test: [store] }),
  'failing receivers': (store) => listFailingReceivers(recorder, [store], { lookedAt: 1_000, limit: 20 }),
  'unmatched money': (store) => hasUnmatchedMoney(recorder, store, [store]),
  'waiting methods': (store) => listWaitingMethods(recorder, [store], 20),
  'exchange accounts': (store) => listAccountHealth(recorder, [store], 1_000),
  'ending keys': (store) => listEndingKeys(recorder, [store], { now, before: now, limit: 20 }),
  'days of a store': (store) => listStoreDays(recorder, store, { from: '2026-01-01', to: TODAY, limit: 100 }),
};

// Merchant 1 has nothing but a store; merchant 7 has rows of every kind.
test.each(Object.keys(CALLS).flatMap((name) => [[name, 1] as const, [name, 7] as const]))(
  '%s of merchant %i are found by indexes',
  async (name, merchant) => {
    expect(await readWhole(async () => CALLS[name]?.(BigInt(merchant)), merchant, 'views')).toEqual([]);
  },
);

test.each([1, 7])('what person %i has switched off is found by an index', async (person) => {
  expect(await readWhole(() => listSwitched(recorder, BigInt(person), 100), person, 'dashboard')).toEqual([]);
});

const readPeople = () => recorder.selectFrom('people').select('id').where('name', '=', 'p3').execute();

test('the check itself sees a table that is read whole', async () => {
  expect(await readWhole(readPeople, 1, 'dashboard')).toEqual(['people']);
});
