import { tierFor } from '../../src/networks/finality.ts';
import type { World } from './world.ts';
import { sideOf } from './world.ts';

/**
 * Writes thousands of invoices that are past their end by SQL, with the same rows as the verbs write. The amounts of
 * these invoices are smaller than the amount of any other invoice of the drill.
 */

const INSERT_DUE = `
  with covered as (
    select max(block_time) as until from chain_coverage where network = $5
  ), made as (
    insert into invoices (store_id, trans_id, amount_usd, callback_url, created_at, expires_at, fee_micro_usd, gate_network, gate_tier)
    select $1, 'TID-D' || lpad(n::text, 15, '0'), 15, 'https://shop.example/callback', c.until - interval '10 minutes',
      c.until + make_interval(secs => 1 + n % $3::integer), 75000, $5, $6
    from generate_series(1, $2::integer) as g (n), covered c
    returning id, trans_id, created_at
  ), numbered as (
    select id, created_at, right(trans_id, 15)::bigint as n from made
  ), quoted as (
    insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units, finality,
      price_sources, held_from)
    select id, $5, 'USDT', $4, 15 + n * 0.000001, 1, created_at, 15000000 + n, $6, '[]', created_at from numbered
    returning id, display_units
  ), slots as (
    insert into amount_slots (network, token, address, display_units, quote_id)
    select $5, 'USDT', $4, display_units, id from quoted
  ), held as (
    insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
    select date_trunc('month', created_at at time zone 'utc')::date, $1, 'hold', 'available', 'held', 75000, id, 1, created_at
    from numbered
  ), charged as (
    update balances set available_micro_usd = available_micro_usd - 75000 * $2::bigint where store_id = $1
  )
  select trans_id as "transId" from made`;

const SHOW_QUOTES = `update invoices i set quote_id = q.id from quotes q where q.invoice_id = i.id and i.quote_id is null`;

const DUE_USD = 15n;
const USD_UNITS = 100_000_000n;

/** Inserts invoices that end in the seconds after the network's coverage. */
export async function insertDue(
  world: World,
  network: string,
  { count, spreadSeconds }: { count: number; spreadSeconds: number },
): Promise<string[]> {
  const tier = tierFor(sideOf(world, network).network.policy, DUE_USD * USD_UNITS);
  const client = await world.drill.database.pool.connect();
  try {
    const { rows: wallets } = await client.query<{ address: string }>(
      `select address from wallets where store_id = $1 and network = $2`,
      [world.stores.brief.id, network],
    );
    await client.query('begin');
    // The statement timeout is raised: the insert of thousands of invoices may take longer than the session's usual
    // limit.
    await client.query(`set local statement_timeout = '60s'`);
    const { rows } = await client.query<{ transId: string }>(INSERT_DUE, [
      world.stores.brief.id,
      count,
      spreadSeconds,
      wallets[0]?.address,
      network,
      tier,
    ]);
    await client.query(SHOW_QUOTES);
    await client.query('commit');
    return rows.map((row) => row.transId);
  } finally {
    client.release();
  }
}
