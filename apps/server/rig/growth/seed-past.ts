import type pg from 'pg';

/**
 * Writes years of trade by SQL: invoices that ended or are open, with quotes, amount slots, transfers, ledger entries,
 * events, deliveries and attempts. The first `FIXED` invoices are at the addresses of one busy store and stay when the
 * other rows are deleted: some queries read a bounded number of rows beside their own, and must find as many before and
 * after the deletion.
 */

/** Receiving addresses of the busy store; `binance` is the id of its exchange account. */
export type PastAddresses = { bsc: string; sol: string; binance: string; removed: string };

const FIXED = 12_000;
const EXCHANGE = 'EXCHANGE_PAY:BINANCE';
const OTHER_ADDRESSES = 1_000;
const STORES = 100;
const LEAST_UNITS = 45_000_000;
/** Tables that grow with every invoice, and that the seeded past fills. */
export const SEEDED_TABLES = [
  'invoices',
  'quotes',
  'amount_slots',
  'transfers',
  'ledger_entries',
  'events',
  'deliveries',
  'attempts',
] as const;

/**
 * Rows of the seeded past. No row has an amount that is reserved for the time after a restore, which is every fourth
 * amount. Of twenty rows one row is at the busy store, one at the removed wallet and eighteen elsewhere; of ten rows
 * seven have ended.
 */
const pastRows = (count: number, { bsc, sol, binance, removed }: PastAddresses) => `
  create unlogged table past as
  select n, kind, network, token, units, case
      when network = 'SOL' and (owner = 0 or n <= ${FIXED}) then '${sol}'
      when network = '${EXCHANGE}' and (owner = 0 or n <= ${FIXED}) then '${binance}'
      when n <= ${FIXED} or owner = 0 then '${bsc}'
      when owner = 1 and network = 'BSC' then '${removed}'
      else 'address-' || n % ${OTHER_ADDRESSES} end as address,
    case when kind in ('completed', 'expired') then now() - interval '200 days' + (n::float8 / ${count}) * interval '190 days'
      else now() - interval '1 minute' end as at
  from (
    select n, n % 20 as owner, ${LEAST_UNITS} + n / 3 * 4 + n % 3 as units,
      (array['completed', 'completed', 'completed', 'completed', 'expired', 'expired', 'expired', 'unselected', 'gated', 'gated'])[1 + (n / 20) % 10] as kind,
      (array['BSC', 'BSC', 'BSC', 'SOL', '${EXCHANGE}'])[1 + (n / 200) % 5] as network,
      (array['USDT', 'USDT', 'BNB', 'USDT', 'USDT'])[1 + (n / 200) % 5] as token
    from generate_series(1, ${count}) n) s`;

/**
 * Store that a row belongs to, as an SQL expression. Store 1 has every receiving address that was given to `seedPast`,
 * because an address belongs to one merchant; rows at invented addresses are spread over all stores.
 */
const STORE = `case when address like 'address-%' then 1 + n % ${STORES} else 1 end`;
/** Ids follow the time of creation, also of invoices that are still open. */
const CREATED_AT = `now() - interval '200 days' + (n::float8 / (select max(n) from past)) * interval '190 days'`;
const ENDED = `kind in ('completed', 'expired')`;
const SELECTED = `kind <> 'unselected'`;
const FREE_AGAIN = `at + interval '25 hours'`;
const held = `case when ${ENDED} then ${FREE_AGAIN} else 'infinity' end`;

const INSERTS = `
  insert into invoices (id, store_id, trans_id, request_id, amount_usd, callback_url, created_at, expires_at, fee_micro_usd, status,
      quote_id, gate_network, gate_tier, gate_scope, ended_at, settled_at, transaction_hash, from_address, paid_transfer_id)
    overriding system value
    select n, ${STORE}, 'TID-' || lpad(n::text, 16, '0'), 'past-' || n, 50, case when ${ENDED} then 'https://shop.example/' || n % 50 end,
      ${CREATED_AT}, case when ${ENDED} then at + interval '1 hour' else now() + interval '60 days' + n * interval '1 millisecond' end, 250000,
      case when ${ENDED} then kind else 'waiting' end, case when ${SELECTED} then n end,
      case when ${SELECTED} then network end, case when ${SELECTED} then 'finalized' end,
      case when ${SELECTED} and network in ('SOL', '${EXCHANGE}') then address else '' end,
      case when ${ENDED} then at + interval '1 hour' end, case when kind = 'completed' then at + interval '1 hour' end,
      case when kind = 'completed' then 'past-' || n end, case when kind = 'completed' then 'payer' end,
      case when kind = 'completed' then n end
    from past;
  insert into quotes (id, invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units, finality,
      price_sources, held_from, held_to, reference)
    overriding system value
    select n, n, network, token, address, 50, 1, at, units, 'finalized', '[]', at, ${held}, case when network = 'SOL' then 'past-' || n end
    from past where ${SELECTED};
  insert into amount_slots (network, token, address, display_units, quote_id, held_until)
    select network, token, address, units, n, ${held} from past where ${SELECTED};
  insert into transfers (id, network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
      quote_id, invoice_id, reason)
    overriding system value
    select n, network, 'past-' || n, token || ':0', token, 'payer', address, units, n - 1000000000, 'h', at, at,
      case when kind = 'completed' then n end, case when kind = 'completed' then n end,
      case when kind = 'expired' then (array['short', 'over', 'unknown'])[1 + n % 3] end
    from past where ${ENDED};
  insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
    select date_trunc('month', now()), ${STORE}, 'hold', 'available', 'held', 250000, n, 1, at from past;
  insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
    select date_trunc('month', now()), ${STORE}, 'capture', 'held', 'revenue', 250000, n, 1, at from past where ${ENDED};
  insert into events (id, event_id, store_id, invoice_id, sequence, type, body, created_at)
    overriding system value
    select n, 'past-' || n, ${STORE}, n, 1, 'invoice.' || kind, case when at > now() - interval '80 days' then '{}' end, at
    from past where ${ENDED};
  insert into deliveries (id, event_row_id, endpoint_id, store_id, invoice_id, sequence, host, state, attempts, next_attempt_at, created_at)
    overriding system value
    select n, n, 1 + n % 50, ${STORE}, n, 1, 'shop.example', 'delivered', 1, at, at from past where ${ENDED};
  insert into attempts (at, delivery_id, number, duration_ms, status, request_headers)
    select date_trunc('month', now()), n, 1, 10, 200, '{}' from past where ${ENDED}`;

/** Rows that the seeded past refers to; their number does not depend on the size of the past. */
const AROUND = `
  insert into alarms (at, kind, subject, details, alerted_at) select now(), 'found-late', 'past', '{}', now() from generate_series(1, 1000);
  insert into endpoints (store_id, url, host) select 1 + n % ${STORES}, 'https://shop.example/' || n, 'shop.example' from generate_series(1, 50) n;
  insert into receiving_addresses (family, address, merchant_account_id, claimed_at)
    select 'evm', 'address-' || n, 1, now() from generate_series(0, ${OTHER_ADDRESSES - 1}) n;
  insert into wallets (store_id, merchant_account_id, network, family, address, added_at)
    select 1, 1, 'BSC', 'evm', 'address-' || n, now() from generate_series(0, ${OTHER_ADDRESSES - 1}) n`;

const IDENTITIES = ['invoices', 'quotes', 'transfers', 'events', 'deliveries'];

type IndexDefinition = { name: string; definition: string };

/**
 * Drops the indexes of filled tables that no constraint needs: building these indexes afterwards takes a fraction of
 * the time.
 */
export async function dropIndexes(client: pg.Client): Promise<IndexDefinition[]> {
  const { rows } = await client.query<IndexDefinition>(
    `select i.relname as name, pg_get_indexdef(x.indexrelid) as definition
     from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
     where t.relname = any($1) and t.relkind = 'r' and not exists (select from pg_constraint k where k.conindid = x.indexrelid)`,
    [SEEDED_TABLES],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows;
}

/** Fills the database. `client` is a superuser without a time limit; store 1 of merchant 1 exists already. */
export async function seedPast(client: pg.Client, count: number, addresses: PastAddresses): Promise<void> {
  await client.query(
    `set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '256MB'`,
  );
  await stopOwnVacuum(client);
  await client.query(pastRows(count + FIXED, addresses));
  const indexes = await dropIndexes(client);
  for (const statement of [...INSERTS.split(';'), ...AROUND.split(';')]) await client.query(statement);
  await client.query(pastSignIns(count));
  for (const { definition } of indexes) await client.query(definition);
  for (const table of IDENTITIES)
    await client.query(`select setval(pg_get_serial_sequence('${table}', 'id'), ${count + FIXED})`);
  await client.query('drop table past; reset session_replication_role');
  await vacuum(client);
}

/** Refused sign-ins of half a year, the newest two hours old. */
const pastSignIns = (count: number) => `
  insert into security_events (at, kind, address, agent, mail_mark)
  select now() - interval '2 hours' - (n::float8 / ${count}) * interval '170 days', 'sign-in-refused', '192.0.2.' || n % 250,
    'rig', decode(lpad(to_hex(n), 8, '0'), 'hex')
  from generate_series(1, ${count}) n`;

/**
 * Deletes the seeded past except the busy store's fixed part and `kept` more rows. The remaining rows are in index
 * trees as deep as before, so that a difference in pages comes from rows and not from the depth of a tree.
 */
export async function thinPast(client: pg.Client, count: number, kept: number): Promise<void> {
  const every = Math.max(1, Math.floor(count / kept));
  const gone = (column: string) =>
    `${column} > ${FIXED} and ${column} <= ${count + FIXED} and ${column} % ${every} <> 0`;
  await client.query('set session_replication_role = replica; set synchronous_commit = off');
  for (const [table, column] of [
    ['attempts', 'delivery_id'],
    ['deliveries', 'id'],
    ['events', 'id'],
    ['ledger_entries', 'invoice_id'],
    ['transfers', 'id'],
    ['amount_slots', 'quote_id'],
    ['quotes', 'id'],
    ['invoices', 'id'],
  ] as const)
    await client.query(`delete from ${table} where ${gone(column)}`);
  await client.query('reset session_replication_role');
  await vacuum(client);
}

/**
 * Removes deleted and overwritten rows from all tables and indexes, as a regular vacuum does, and renews the planner's
 * statistics.
 */
export async function vacuum(client: pg.Client): Promise<void> {
  await client.query('vacuum (analyze, index_cleanup on)');
}

/**
 * Turns off the server's own vacuum of all tables: it comes at any moment, and would change plans and the number of
 * touched pages in one half of a comparison.
 */
export async function stopOwnVacuum(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of rows) await client.query(`alter table ${name} set (autovacuum_enabled = false)`);
}
