import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { pagesPerCall } from '../../rig/database/measure-buffers.ts';
import { ALL_GRANTS } from '../../rig/database/expected-grants.ts';
import { roleUrl } from '../../rig/database/role-database.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import { actAs } from '../../src/db/act-as.ts';
import { applyGrants, becomeOwner } from '../../src/db/apply-roles.ts';
import type { Queries } from '../../src/db/database.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { addMember } from '../../src/people/add-member.ts';
import { createPerson } from '../../src/people/create-person.ts';
import { insertInvitation } from '../../src/people/invitation-sql.ts';
import { listStoresOfMember } from '../../src/stores/member-store-sql.ts';

/** The second wall between merchants: what the server keeps from a statement that asks for too much. */

/** Tables that the dashboard's roles reach and whose rows belong to no merchant, or to none alone, with the reason. */
const WITHOUT_MERCHANT: Readonly<Record<string, string>> = {
  address_changes: 'belong to people',
  admissions: 'count requests of stores and addresses, and tell nothing else',
  alarms: 'are only added; the role sees their kinds, subjects and times',
  attempt_budgets: 'counts guesses of people who are not signed in',
  chains: 'how far networks are read',
  challenges: 'are found by the hash of a random value',
  credential_restores: 'belong to people',
  database_confirmation: 'the one row that says whether quoting is allowed',
  devices: 'are found by the hash of a random value',
  earlier_credentials: 'belong to people',
  factor_resets: 'belong to people',
  key_ring_holders: 'processes that hold the key ring',
  key_ring_keys: 'keys of the instance',
  link_tokens: 'are found by the hash of a random value',
  logos: 'are found by the hash of their bytes, and any payer sees them',
  mail_setup: 'says whether email is set up',
  mails: 'are only added; the role sees rows to learn their ids',
  operator_views: 'are found by the session of the operator',
  passkeys: 'belong to people',
  people: 'are found by their mail address when they sign in',
  plans: 'are offered to everybody',
  price_history: 'prices and rates of the whole installation',
  price_reports: 'prices and rates of the whole installation',
  receiving_addresses: 'an address of another merchant must be known as such',
  recovery_codes: 'belong to people',
  schema_migrations: 'say which version the schema has',
  sealing_key: 'says which key seals',
  secrets: 'are sealed, and opened for a named purpose only',
  security_events: 'belong to people',
  sessions: 'are found by the hash of a random value',
  sign_ups: 'belong to somebody who is no person yet',
  totp: 'belong to people',
  waiting_jobs: 'are only added, and hold ids',
  watch_versions: 'count the changes of addresses of each network',
};

type Trade = { invoiceId: bigint; deliveryId: bigint; address: string };
type Place = Trade & { exportId: bigint; merchantAccountId: bigint; personId: bigint; tokenHash: Buffer };

let own: TestDatabase;
let mine: Place;
let others: Place;

async function makePlace(name: string): Promise<Place> {
  const context = { database: own.database, clock: systemClock, jobs: undefined };
  const { merchantAccountId, id: storeId } = await openStore(own.database);
  const mail = { normal: `${name}@acme.test`, shown: `${name}@acme.test` };
  const { code } = await createPerson(context, TESTER, { mail, name, language: 'en', operatorRole: null });
  await addMember(context, TESTER, { merchantAccountId, personCode: code, role: 'owner' });
  const { rows } = await own.database.pool.query<{ id: bigint }>('select id from people where code = $1', [code]);
  const personId = rows[0]?.id ?? 0n;
  await own.database.pool.query('insert into membership_stores values ($1, $2, $3)', [
    merchantAccountId,
    personId,
    storeId,
  ]);
  await own.database.pool.query('insert into former_owners values ($1, $2, now())', [merchantAccountId, personId]);
  await own.database.pool.query(
    `insert into method_changes
       (code, merchant_account_id, store_id, kind, network, family, address, requested_by, requested_at, effective_at, state)
     values ($1, $2, $3, 'wallet', 'BSC', 'evm', '0x1', 'cli:test', now(), now() + interval '1 day', 'pending')`,
    [`MCH-${name}`, merchantAccountId, storeId],
  );
  const tokenHash = randomBytes(32);
  const now = new Date(systemClock.nowMs());
  const asked = {
    code: `INV-${name}`,
    mail: { normal: `asked-${name}@acme.test`, shown: 'x' },
    role: 'viewer',
  } as const;
  const expiresAt = new Date(now.getTime() + 60_000);
  await inTransaction(own.database, (tx) =>
    insertInvitation(tx, { ...asked, merchantAccountId, tokenHash, invitedBy: personId, expiresAt, mailId: 1n }, now),
  );
  await own.database.pool.query(`insert into notice_settings values ($1, $2, 'balance', false)`, [
    merchantAccountId,
    personId,
  ]);
  const exportId = await makeExport(name, merchantAccountId, personId);
  return { merchantAccountId, personId, tokenHash, exportId, ...(await makeTrade(name, merchantAccountId, storeId)) };
}

/** An export with a chunk. */
async function makeExport(name: string, merchantAccountId: bigint, personId: bigint): Promise<bigint> {
  const { rows } = await own.database.pool.query<{ id: bigint }>(
    `with made as (
       insert into exports (code, merchant_account_id, person_id, requested_by, kind, store_ids, whole_merchant, to_at, slot, created_at)
       values ($1, $2, $3, 'PER-1', 'invoices', '{}', true, now(), 1, now()) returning id),
     chunk as (insert into export_chunks (export_id, number, bytes) select id, 0, 'x' from made)
     select id from made`,
    [`EXP-${name}`, merchantAccountId, personId],
  );
  return rows[0]?.id ?? 0n;
}

const TRADE = `
  with invoice as (
    insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd)
    values ($2, $4, 5, now(), now() + interval '1 hour', 1) returning id),
  quote as (
    insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units,
      finality, price_sources, held_from)
    select id, 'BSC', 'USDT', $3, 5, 1, now(), 5, 'safe', '{}', now() from invoice),
  named as (
    insert into named_transactions (invoice_id, network, tx_id, store_id, named_by)
    select id, 'BSC', $3, $2, 'payer' from invoice),
  address as (
    insert into receiving_addresses (family, address, merchant_account_id, claimed_at) values ('evm', $3, $1, now()) returning address),
  transfer as (
    insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at)
    select 'BSC', $3, 'USDT:0', 'USDT', '0x2', address, 5, 1, '0x3', now(), now() from address returning id),
  attachment as (
    insert into attachments (code, merchant_account_id, store_id, transfer_id, invoice_id, asked_by, asked_at, next_try_at)
    select 'ATT-' || $3, $1, $2, transfer.id, invoice.id, 'cli:test', now(), now() from transfer, invoice),
  cancel_request as (
    insert into cancel_requests (invoice_id, store_id, requested_by, requested_at) select id, $2, 'cli:test', now() from invoice),
  dismissal as (
    insert into dismissed_transfers (transfer_id, merchant_account_id, note, dismissed_by, dismissed_at)
    select id, $1, 'spam', 'cli:test', now() from transfer),
  act as (
    insert into sandbox_acts (store_id, invoice_id, act, asked_at, due_at) select $2, id, '{}', now(), now() from invoice),
  entry as (
    insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, at)
    values (date_trunc('month', now()), $2, 'credit', 'funding', 'available', 5, now())),
  topup as (
    insert into topups (code, store_id, micro_usd, requested_by, return_url, created_at)
    values ('TOP-' || upper(rpad($3, 16, '0')), $2, 5000000, 'test', 'https://' || $3, now())),
  figures as (insert into store_days (store_id, day, network, token, created) values ($2, now()::date, '', '', 1)),
  brand as (insert into brands (store_id, display_name) values ($2, $3)),
  key_day as (
    insert into api_key_days (key_id, store_id, day, calls, last_used_at)
    select id, $2, current_date, 1, now() from api_keys where store_id = $2),
  exchange_account as (
    insert into exchange_accounts (network, account, merchant_account_id, secret_id, base_url, key_hint, bound_to_addresses,
      is_sub_account, added_at, checked_at, check_due_at)
    select 'EXCHANGE_PAY:OKX', $3, $1, secret_id, 'https://okx.example', 'abcd', true, false, now(), now(), now()
    from api_keys where store_id = $2),
  event as (
    insert into events (event_id, store_id, sequence, type, created_at)
    values ('evt_' || $3, $2, 1, 'webhook.test', now()) returning id),
  endpoint as (insert into endpoints (store_id, url, host) values ($2, 'https://' || $3, $3) returning id),
  webhook_endpoint as (
    insert into webhook_endpoints (endpoint_id, store_id, code, url, types, place, created_at, effective_at)
    select id, $2, 'EP-' || $3, 'https://shop.example', '{invoice.expired}', 1, now(), now() from endpoint returning endpoint_id),
  endpoint_secret as (
    insert into webhook_endpoint_secrets (endpoint_id, store_id, secret_id, created_at)
    select endpoint_id, $2, (select secret_id from webhook_secrets where store_id = $2 limit 1), now() from webhook_endpoint),
  delivery as (
    insert into deliveries (event_row_id, endpoint_id, store_id, sequence, host, next_attempt_at, created_at)
    select event.id, endpoint.id, $2, 1, $3, now(), now() from event, endpoint returning id),
  attempt as (
    insert into attempts (at, delivery_id, number, duration_ms, request_headers) select now(), id, 1, 1, '{}' from delivery)
  select invoice.id as "invoiceId", delivery.id as "deliveryId" from invoice, delivery`;

/** A row of each table of trade; the name is the address at which the money arrived. */
async function makeTrade(name: string, merchantAccountId: bigint, storeId: bigint): Promise<Trade> {
  const { pool } = own.database;
  const code = `TID-${name.toUpperCase().padEnd(16, '0')}`;
  type Made = { invoiceId: bigint; deliveryId: bigint };
  const { rows } = await pool.query<Made>(TRADE, [merchantAccountId, storeId, name, code]);
  await pool.query(
    `insert into wallets (store_id, merchant_account_id, network, family, address, added_at) values ($1, $2, 'BSC', 'evm', $3, now())`,
    [storeId, merchantAccountId, name],
  );
  const [made] = rows;
  if (!made) throw new Error('The trade was not made.');
  return { ...made, address: name };
}

beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  [mine, others] = [await makePlace('mine'), await makePlace('others')];
});
afterAll(() => own.drop());

const SECURED = [
  'api_key_days',
  'api_keys',
  'attachments',
  'attempts',
  'audit_entries',
  'balances',
  'brands',
  'cancel_requests',
  'deliveries',
  'dismissed_transfers',
  'endpoints',
  'events',
  'exchange_accounts',
  'export_chunks',
  'exports',
  'former_owners',
  'invitations',
  'invoices',
  'ledger_entries',
  'membership_stores',
  'memberships',
  'merchants',
  'method_changes',
  'named_transactions',
  'notice_settings',
  'quotes',
  'sandbox_acts',
  'store_days',
  'stores',
  'topups',
  'transfers',
  'wallets',
  'webhook_endpoint_secrets',
  'webhook_endpoints',
  'webhook_secrets',
];

type Mark = { column: string; of: (place: Place) => bigint | string | Promise<bigint> };
const BY_MERCHANT: Mark = { column: 'merchant_account_id', of: ({ merchantAccountId }) => merchantAccountId };
const BY_STORE: Mark = { column: 'store_id', of: ({ merchantAccountId }) => storeOf(merchantAccountId) };

/** How rows are distinguished here. Not every role may read a row's merchant, and not every row has one. */
const MARKS: Readonly<Record<string, Mark>> = {
  merchants: { ...BY_MERCHANT, column: 'id' },
  stores: BY_MERCHANT,
  memberships: BY_MERCHANT,
  membership_stores: BY_MERCHANT,
  invitations: BY_MERCHANT,
  former_owners: BY_MERCHANT,
  exchange_accounts: BY_MERCHANT,
  audit_entries: BY_MERCHANT,
  exports: BY_MERCHANT,
  export_chunks: { column: 'export_id', of: ({ exportId }) => exportId },
  notice_settings: BY_MERCHANT,
  attachments: BY_MERCHANT,
  dismissed_transfers: BY_MERCHANT,
  quotes: { column: 'invoice_id', of: ({ invoiceId }) => invoiceId },
  transfers: { column: 'to_address', of: ({ address }) => address },
  attempts: { column: 'delivery_id', of: ({ deliveryId }) => deliveryId },
};

/** The merchants, or what marks them, whose rows a statement without any condition shows. */
async function merchantsSeen(queries: Queries, table: string): Promise<Set<bigint | string>> {
  const column = sql.ref((MARKS[table] ?? BY_STORE).column);
  const { rows } = await sql<{ id: bigint | string }>`select ${column} as id from ${sql.table(table)}`.execute(queries);
  return new Set(rows.map(({ id }) => id));
}

async function countRows(queries: Queries, table: string): Promise<bigint> {
  const { rows } = await sql<{ count: bigint }>`select count(*) as count from ${sql.table(table)}`.execute(queries);
  return rows[0]?.count ?? 0n;
}

async function storeOf(merchantAccountId: bigint): Promise<bigint> {
  const statement = 'select id from stores where merchant_account_id = $1';
  return (await own.database.pool.query<{ id: bigint }>(statement, [merchantAccountId])).rows[0]?.id ?? 0n;
}

const asDashboard = (scope: Parameters<typeof actAs>[1]) => actAs(own.as('dashboard'), scope, { prepared: true });

test('every table that the dashboard reaches is secured by rows, or is listed here with the reason why not', async () => {
  const reached = Object.entries(ALL_GRANTS).filter(([, rights]) => rights.dashboard ?? rights.views);
  const { rows } = await own.database.pool.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relrowsecurity and c.relnamespace = 'public'::regnamespace order by 1`,
  );
  const secured = rows.map(({ name }) => name);
  expect(secured).toEqual(SECURED);
  const open = reached.map(([name]) => name).filter((name) => !secured.includes(name));
  expect(open.toSorted()).toEqual(Object.keys(WITHOUT_MERCHANT));
});

/** Roles that see all rows of a secured table: adding an audit entry reads the number of the last one. */
const UNBOUND: Readonly<Record<string, string>> = { audit_entries: 'dashboard' };

describe.each(SECURED)('a statement without a condition on %s', (table) => {
  const rolesOf = (['dashboard', 'views'] as const).filter(
    (role) => ALL_GRANTS[table]?.[role]?.includes('select') && UNBOUND[table] !== role,
  );

  test.each(rolesOf)('shows %s the rows of the own merchants only', async (role) => {
    const seen = await merchantsSeen(
      actAs(own.as(role), { personId: mine.personId }, { prepared: role === 'dashboard' }).queries,
      table,
    );
    expect(seen).toEqual(new Set([await (MARKS[table] ?? BY_STORE).of(mine)]));
  });

  test.each(rolesOf)('shows %s nothing when nobody is signed in', async (role) => {
    expect(await merchantsSeen(actAs(own.as(role), {}, { prepared: false }).queries, table)).toEqual(new Set());
    expect(await merchantsSeen(own.as(role).queries, table)).toEqual(new Set());
  });

  test('shows all rows to the other processes', async () => {
    for (const role of ['api', 'worker', 'admin'] as const) {
      if (!ALL_GRANTS[table]?.[role]?.includes('select')) continue;
      const counted = await Promise.all(
        [own.as(role), own.database].map((database) => countRows(database.queries, table)),
      );
      expect(counted[0]).toBe(counted[1]);
    }
  });
});

test('a person cannot write rows of another merchant, whatever the statement says', async () => {
  const { queries } = asDashboard({ personId: mine.personId });
  await expect(
    sql`insert into memberships (merchant_account_id, person_id, role, since)
      values (${others.merchantAccountId}, ${others.personId + 1_000n}, 'owner', now())`.execute(queries),
  ).rejects.toThrow('row-level security');
  await expect(
    sql`insert into memberships (merchant_account_id, person_id, role, since)
      values (${others.merchantAccountId}, ${mine.personId}, 'owner', now())`.execute(queries),
  ).rejects.toThrow('row-level security');
  const raised = await sql`
    update memberships set role = 'owner' where merchant_account_id = ${others.merchantAccountId} returning 1`.execute(
    queries,
  );
  const removed = await sql`
    delete from memberships where merchant_account_id = ${others.merchantAccountId} returning 1`.execute(queries);
  expect([raised.rows.length, removed.rows.length]).toEqual([0, 0]);
});

/** Numbers of rows of both merchants. */
async function mineAndTheirs(): Promise<Record<'mine' | 'theirs', Record<string, bigint>>> {
  const { rows } = await own.database.pool.query<Record<string, bigint>>(
    `select s.id as store, e.id as event, p.id as endpoint, i.id as invoice, t.id as transfer
     from stores s join events e on e.store_id = s.id join endpoints p on p.store_id = s.id
       join invoices i on i.store_id = s.id join wallets w on w.store_id = s.id join transfers t on t.to_address = w.address
     where s.merchant_account_id = any($1) order by s.id`,
    [[mine.merchantAccountId, others.merchantAccountId]],
  );
  const [first, second] = rows;
  if (!first || !second) throw new Error('There are no two places.');
  return { mine: first, theirs: second };
}

describe('a row of the own merchant cannot name', () => {
  test.each(['event', 'endpoint'])('an %s of another in a delivery', async (part) => {
    const { mine: rows, theirs } = await mineAndTheirs();
    const { queries } = asDashboard({ personId: mine.personId });
    const { event, endpoint, store } = { ...rows, [part]: theirs[part] } as Record<string, bigint>;
    const insert = sql`insert into deliveries (event_row_id, endpoint_id, store_id, sequence, host, next_attempt_at, created_at)
      values (${event}, ${endpoint}, ${store}, 1, 'x', now(), now())`;
    await expect(insert.execute(queries)).rejects.toThrow('row-level security');
  });

  test.each(['invoice', 'transfer'])('an %s of another in a request to attach', async (part) => {
    const { mine: rows, theirs } = await mineAndTheirs();
    const { queries } = asDashboard({ personId: mine.personId });
    const { invoice, transfer, store } = { ...rows, [part]: theirs[part] } as Record<string, bigint>;
    const insert = sql`
      insert into attachments (code, merchant_account_id, store_id, transfer_id, invoice_id, asked_by, asked_at, next_try_at, state, decided_at)
      values ('ATT-1', ${mine.merchantAccountId}, ${store}, ${transfer}, ${invoice}, 'person:x', now(), now(), 'done', now())`;
    await expect(insert.execute(queries)).rejects.toThrow('row-level security');
  });

  test.each(['an invoice of another', 'no invoice', 'an invoice of a live store'])('%s in an act', async (named) => {
    const { mine: rows, theirs } = await mineAndTheirs();
    await own.database.pool.query('update stores set live = $1', [named === 'an invoice of a live store']);
    const invoices: Record<string, bigint | null | undefined> = {
      'an invoice of another': theirs['invoice'],
      'no invoice': null,
      'an invoice of a live store': rows['invoice'],
    };
    const { queries } = asDashboard({ personId: mine.personId });
    const insert = sql`insert into sandbox_acts (store_id, invoice_id, act, asked_at, due_at)
      values (${rows['store']}, ${invoices[named]}, '{}', now(), now())`;
    await expect(insert.execute(queries)).rejects.toThrow('row-level security');
  });

  test("another's transfer in a dismissal", async () => {
    const { theirs } = await mineAndTheirs();
    const { queries } = asDashboard({ personId: mine.personId });
    const insert = sql`
      insert into dismissed_transfers (merchant_account_id, transfer_id, note, dismissed_by, dismissed_at)
      values (${mine.merchantAccountId}, ${theirs['transfer']}, 'x', 'x', now())`;
    await expect(insert.execute(queries)).rejects.toThrow('row-level security');
  });
});

test('whoever has the link of an invitation sees this invitation and the name of its merchant, and no store', async () => {
  const { queries } = asDashboard({ linkHash: others.tokenHash });
  expect(await merchantsSeen(queries, 'invitations')).toEqual(new Set([others.merchantAccountId]));
  expect(await merchantsSeen(queries, 'merchants')).toEqual(new Set([others.merchantAccountId]));
  expect(await merchantsSeen(queries, 'stores')).toEqual(new Set());
  expect(await merchantsSeen(queries, 'memberships')).toEqual(new Set([others.merchantAccountId]));
});

test('a member without the two-factor authentication that the merchant requires sees its row and their own membership only', async () => {
  const { merchantAccountId, personId } = others;
  const { pool } = own.database;
  await pool.query(
    `insert into memberships (merchant_account_id, person_id, role, since) values ($1, $2, 'owner', now())`,
    [merchantAccountId, mine.personId],
  );
  await pool.query('update merchants set two_factor_required = true where id = $1', [merchantAccountId]);
  try {
    const seen: string[] = [];
    for (const table of SECURED) {
      for (const role of ['dashboard', 'views'] as const) {
        if (!ALL_GRANTS[table]?.[role]?.includes('select') || UNBOUND[table] === role) continue;
        const { queries } = actAs(own.as(role), { personId }, { prepared: role === 'dashboard' });
        if ((await merchantsSeen(queries, table)).size > 0) seen.push(`${table} ${role}`);
      }
    }
    expect(seen).toEqual(['memberships dashboard', 'memberships views', 'merchants dashboard', 'merchants views']);
    const { queries } = asDashboard({ personId });
    expect(await countRows(queries, 'memberships')).toBe(1n);
    const raised = await sql`update memberships set role = 'owner' returning 1`.execute(queries);
    const lifted = await sql`update merchants set two_factor_required = false returning 1`.execute(queries);
    expect([raised.rows.length, lifted.rows.length]).toEqual([0, 0]);
  } finally {
    await pool.query('update merchants set two_factor_required = false');
    await pool.query('delete from memberships where merchant_account_id = $1 and person_id = $2', [
      merchantAccountId,
      mine.personId,
    ]);
  }
});

const storesSeenBy = async (personId: bigint) => [
  ...(await merchantsSeen(asDashboard({ personId }).queries, 'stores')),
];

test('requests that take turns on the same connections never see with the eyes of another', async () => {
  const rounds = Array.from({ length: 200 }, (_, round) => (round % 2 === 0 ? mine : others));
  const seen = await Promise.all(rounds.map(({ personId }) => storesSeenBy(personId)));
  expect(seen).toEqual(rounds.map(({ merchantAccountId }) => [merchantAccountId]));
});

test('rights are applied again without waiting for readers of the tables', async () => {
  const reader = new pg.Client({ connectionString: roleUrl(own.url, 'api') });
  const owner = new pg.Client({ connectionString: own.url });
  await Promise.all([reader.connect(), owner.connect()]);
  try {
    await reader.query('begin');
    await reader.query('select count(*) from stores');
    await becomeOwner(owner);
    await applyGrants(owner);
  } finally {
    await Promise.all([reader.end(), owner.end()]);
  }
});

/**
 * Tolerated growth of a call in pages: each index gains a level with thousands of rows. Reading all stores takes
 * hundreds.
 */
const NOISE_PAGES = 12;

/** Pages that a list of the own stores touches, as the server counts them, on average. */
function pagesOfList(): Promise<number> {
  const { queries } = actAs(own.as('views'), { personId: mine.personId }, { prepared: false });
  const beholder = { personId: mine.personId, sessionHash: Buffer.alloc(32), now: new Date(systemClock.nowMs()) };
  const of = { merchantAccountId: mine.merchantAccountId, limit: 200 };
  return pagesPerCall(own.database.pool, queries, async () =>
    expect(await listStoresOfMember(queries, beholder, of)).toHaveLength(1),
  );
}

test('a list of stores touches no more pages when thousands of other stores exist', async () => {
  await own.database.pool.query('vacuum analyze');
  const few = await pagesOfList();
  const maker = new pg.Client({ connectionString: own.url });
  await maker.connect();
  for (const table of ['merchants', 'stores'])
    await maker.query(`alter table ${table} set (autovacuum_enabled = false)`);
  await maker.query(`
    with made as (insert into merchants (name, created_at) select 'Other ' || n, now() from generate_series(1, 2000) n returning id)
    insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
    select m.id, 'MID-X' || m.id || '-' || n, 'A', 'Store', (select min(id) from plans), now()
    from made m cross join generate_series(1, 5) n`);
  await maker.query('vacuum analyze');
  await maker.end();
  const many = await pagesOfList();
  expect({ few, many, grew: many > few + NOISE_PAGES }).toEqual({ few, many, grew: false });
});
