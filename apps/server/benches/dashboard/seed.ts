import type pg from 'pg';
import { dropIndexes, stopOwnVacuum, vacuum } from '../../rig/growth/seed-past.ts';

/**
 * Writes the trade of many merchants by SQL: invoices of every outcome with quotes, transfers, ledger entries, events,
 * deliveries and attempts, spread over the last half year. One store has a large share of all rows.
 */

export type TradeSize = {
  invoices: number;
  /** Every how many-th invoice is one of the large store. */
  largeEvery: number;
  /** How many other stores there are. */
  others: number;
};

/** Where rows of the large store are found: the ids of its store and merchant, and its receiving address. */
export type LargeStore = { storeId: bigint; merchantAccountId: bigint; address: string };

const BATCH = 250_000;
const DAYS = 180;
const FUNDED_EVERY = 1_000;

/** The public codes of the seeded rows, by their number. */
export const transIdOf = (number: number) => `TID-S${String(number).padStart(15, '0')}`;
export const hashOf = (number: number) => `0x${String(number).padStart(64, '0')}`;
export const payerOf = (number: number) => `0x${String(number % 500_000).padStart(40, '0')}`;
export const requestIdOf = (number: number) => `order-${number}`;

/** Other merchants, each with one store and one receiving address. */
async function seedOthers(client: pg.Client, others: number): Promise<void> {
  await client.query(
    `with made as (
       insert into merchants (name, created_at) select 'Merchant ' || n, now() from generate_series(1, $1) n returning id),
     stored as (
       insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
       select id, 'MID-B' || lpad(id::text, 11, '0'), 'A', 'Store ' || id, (select min(id) from plans), now() from made
       returning id, merchant_account_id),
     addressed as (
       insert into receiving_addresses (family, address, merchant_account_id, claimed_at)
       select 'evm', '0xb' || lpad(id::text, 39, '0'), merchant_account_id, now() from stored),
     walleted as (
       insert into wallets (store_id, merchant_account_id, network, family, address, added_at)
       select id, merchant_account_id, 'BSC', 'evm', '0xb' || lpad(id::text, 39, '0'), now() from stored)
     insert into balances (store_id, available_micro_usd) select id, 1000000000 from stored`,
    [others],
  );
  await client.query(
    `insert into endpoints (store_id, url, host) select id, 'https://shop.example/' || id, 'shop.example' from stores`,
  );
}

/** Rows of one batch: of a hundred invoices 62 are completed, 2 of them late, 32 expired, 5 wait and 1 is processing. */
const rowsOf = (first: number, last: number, { invoices, largeEvery, others }: TradeSize) => `
  create temporary table batch as
  select n, place, at, case when place < 62 then 'completed' when place < 94 then 'expired'
      when place < 99 then 'waiting' else 'processing' end as status,
    (array['USDT', 'USDC', 'BNB'])[1 + n % 3] as token, n % 500 = 7 as short, n % 200 = 3 as unheard,
    s.id as store_id, s.address, e.id as endpoint_id
  from (select n, (n / 7) % 100 as place, now() - interval '${DAYS} days' + (n::float8 / ${invoices}) * interval '${DAYS} days' as at,
      case when n % ${largeEvery} = 0 then 0 else 1 + (n::bigint / ${largeEvery} * 7919 + n) % ${others} end as of
    from generate_series(${first}, ${last}) n) r
  join seeded_stores s on s.number = r.of join endpoints e on e.store_id = s.id`;

const INSERTS = [
  `insert into invoices (id, store_id, trans_id, request_id, amount_usd, name, description, callback_url, created_at, expires_at,
      fee_micro_usd, status, quote_id, ended_at, settled_at, transaction_hash, from_address, paid_transfer_id, late, callback_status)
    overriding system value
    select n, store_id, 'TID-S' || lpad(n::text, 15, '0'), 'order-' || n, 5 + n % 500, 'Order ' || n,
      'Two items and shipping, paid at the checkout of the shop', 'https://shop.example/callback', at, at + interval '30 minutes',
      250000, status, n, case when status in ('completed', 'expired') then at + interval '20 minutes' end,
      case when status = 'completed' then at + interval '5 minutes' end,
      case when status = 'completed' then '0x' || lpad(n::text, 64, '0') end,
      case when status = 'completed' then '0x' || lpad((n % 500000)::text, 40, '0') end,
      case when status = 'completed' then n end, place in (3, 4),
      case when status = 'completed' then case when unheard then 'failed' else 'success' end end
    from batch order by n`,
  `insert into quotes (id, invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units, finality,
      price_sources, held_from, held_to)
    overriding system value
    select n, n, 'BSC', token, address, 5 + n % 500, 1, at, n, 'safe',
      '[{"source":"one","usd":"1.0001","observedAt":"2026-01-01T00:00:00.000Z"},{"source":"two","usd":"0.9999","observedAt":"2026-01-01T00:00:00.000Z"}]',
      at, at + interval '1 day'
    from batch order by n`,
  `insert into transfers (id, network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
      quote_id, invoice_id, reason, read_by, read_how, proven_by, proven_how, proven_at)
    overriding system value
    select n, 'BSC', '0x' || lpad(n::text, 64, '0'), token || ':0', token, '0x' || lpad((n % 500000)::text, 40, '0'), address,
      5 + n % 500, n, '0x' || lpad(n::text, 64, 'b'), at + interval '4 minutes', at + interval '4 minutes 3 seconds',
      case when status <> 'expired' then n end, case when status <> 'expired' then n end, case when status = 'expired' then 'short' end,
      'one.example', 'logs', 'two.example', 'receipt', at + interval '4 minutes 30 seconds'
    from batch where status in ('completed', 'processing') or short order by n`,
  `insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
    select date_trunc('month', at), store_id, 'hold', 'available', 'held', 250000, n, 1, at from batch order by n`,
  `insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
    select date_trunc('month', at), store_id, case when status = 'completed' then 'capture' else 'release' end, 'held',
      case when status = 'completed' then 'revenue' else 'available' end, 250000, n, 1, at + interval '20 minutes'
    from batch where status in ('completed', 'expired') order by n`,
  `insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, note, at)
    select date_trunc('month', at), store_id, 'credit', 'funding', 'available', 250000000, 'Invoice paid by bank', at
    from batch where n % ${FUNDED_EVERY} in (0, 1) order by n`,
  `insert into events (id, event_id, store_id, invoice_id, sequence, type, body, created_at)
    overriding system value
    select n, 'evt_S' || lpad(n::text, 23, '0'), store_id, n, 1, 'invoice.' || status,
      case when at > now() - interval '60 days' then '{"trans_id":"TID-S' || lpad(n::text, 15, '0') || '","pad":"' || repeat('x', 400) || '"}' end,
      at + interval '20 minutes'
    from batch where status in ('completed', 'expired') order by n`,
  `insert into deliveries (id, event_row_id, endpoint_id, store_id, invoice_id, sequence, host, state, attempts, next_attempt_at, created_at)
    overriding system value
    select n, n, endpoint_id, store_id, n, 1, 'shop.example', case when unheard then 'failed' else 'delivered' end, 1, at, at + interval '20 minutes'
    from batch where status in ('completed', 'expired') order by n`,
  `insert into attempts (at, delivery_id, number, duration_ms, status, request_headers)
    select at + interval '20 minutes', n, 1, 80, case when unheard then 500 else 200 end, '{"content-type":"application/json"}'
    from batch where status in ('completed', 'expired') order by n`,
];

/** The figures of each store and day, counted from the rows of a batch as the worker counts them. */
const DAYS_OF_STORES = [
  `insert into store_days (store_id, day, network, token, created, expired)
    select store_id, (at at time zone 'UTC')::date, '', '', count(*), count(*) filter (where status = 'expired') from batch group by 1, 2
    on conflict (store_id, day, network, token) do update
    set created = store_days.created + excluded.created, expired = store_days.expired + excluded.expired`,
  `insert into store_days (store_id, day, network, token, completed, late, volume_usd, fee_micro_usd, detect_counts, final_counts)
    select store_id, (at at time zone 'UTC')::date, 'BSC', token, count(*), count(*) filter (where place in (3, 4)), sum(5 + n % 500),
      count(*) * 250000, array[0, 0, 0, count(*)]::int[], array[0, 0, 0, 0, 0, 0, 0, 0, count(*)]::int[]
    from batch where status = 'completed' group by 1, 2, 3, 4
    on conflict (store_id, day, network, token) do update
    set completed = store_days.completed + excluded.completed, late = store_days.late + excluded.late,
      volume_usd = store_days.volume_usd + excluded.volume_usd, fee_micro_usd = store_days.fee_micro_usd + excluded.fee_micro_usd`,
];

/** Days before yesterday are closed, so that the worker does not count half a year again beside the measurement. */
const CLOSED_DAYS = `
  insert into counted_days (day, counted_at, took_ms, closed_at)
  select day, now(), 1, now() from (select distinct day from store_days) d where day < (now() at time zone 'UTC')::date - 1`;

const IDENTITIES = ['invoices', 'quotes', 'transfers', 'events', 'deliveries'];

/** The stores in a table of their own, with the large one as number 0. */
async function listStores(client: pg.Client, { storeId, address }: LargeStore): Promise<void> {
  await client.query(`
    create unlogged table seeded_stores as
    select row_number() over (order by s.id) as number, s.id, w.address
    from stores s join wallets w on w.store_id = s.id where s.merchant_id like 'MID-B%'
    union all select 0, ${storeId}, '${address}';
    create index on seeded_stores (number);
    analyze seeded_stores; analyze endpoints`);
}

/** Fills the database. `client` is a superuser without a time limit; the large store exists already. */
export async function seedTrade(client: pg.Client, size: TradeSize, large: LargeStore): Promise<void> {
  const { invoices, others } = size;
  await client.query(`set synchronous_commit = off; set maintenance_work_mem = '1GB'; set work_mem = '64MB'`);
  await seedOthers(client, others);
  await listStores(client, large);
  for (let months = 7; months > 0; months -= 1)
    await client.query(`select make_partitions((now() - interval '${months} months')::date)`);
  await stopOwnVacuum(client);
  await client.query('set session_replication_role = replica');
  const indexes = await dropIndexes(client);
  for (let first = 1; first <= invoices; first += BATCH) {
    const last = Math.min(first + BATCH - 1, invoices);
    await client.query(rowsOf(first, last, size));
    for (const statement of [...INSERTS, ...DAYS_OF_STORES]) await client.query(statement);
    await client.query('drop table batch');
    console.log(`${last} invoices written`);
  }
  await client.query(CLOSED_DAYS);
  for (const { definition } of indexes) await client.query(definition);
  for (const table of IDENTITIES)
    await client.query(`select setval(pg_get_serial_sequence('${table}', 'id'), ${invoices})`);
  await client.query('drop table seeded_stores; reset session_replication_role');
  await vacuum(client);
}
