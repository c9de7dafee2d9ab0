import type pg from 'pg';

/** Trade of one store, written by SQL: invoices of all ends with quotes, payments and ledger entries. */

export type Trade = {
  storeId: bigint;
  /** How many invoices; a third of them is completed, a third expired, a third waits. */
  count: number;
  /** Text for every field that outsiders can fill. */
  text?: string;
  /** First number of the invoices, so that several trades have codes of their own. */
  first?: number;
};

const NOTHING_SPECIAL = 'an order';

/** Times lie in the hours before the present, one minute apart. */
const AT = `now() - interval '1 hour' - ($3::bigint - n) * interval '1 minute'`;

const INVOICES = `
  insert into invoices (store_id, trans_id, request_id, status, amount_usd, name, description, created_at, expires_at,
    fee_micro_usd, transaction_hash, from_address, settled_at, ended_at)
  select $1::bigint, 'TID-' || lpad(n::text, 16, '0'), $2::text || n, case n % 3 when 0 then 'completed' when 1 then 'expired' else 'waiting' end,
    10.00000001 + n, $2, $2, ${AT}, ${AT} + interval '30 minutes', 50000,
    case when n % 3 = 0 then $2::text || n end, case when n % 3 = 0 then $2 end,
    case when n % 3 = 0 then ${AT} + interval '1 minute' end, case when n % 3 < 2 then ${AT} + interval '1 minute' end
  from generate_series($4::bigint, $3::bigint) n`;
const QUOTES = `
  with quoted as (
    insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units,
      finality, price_sources, held_from)
    select i.id, 'BSC', 'USDT', (select address from wallets where store_id = $1 order by id limit 1), i.amount_usd, 0.9998,
      i.created_at, i.id, 'finalized', '[]', i.created_at from invoices i where i.store_id = $1 returning id, invoice_id)
  update invoices i set quote_id = q.id from quoted q where q.invoice_id = i.id`;
const TRANSFERS = `
  with paid as (
    insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
      quote_id, invoice_id)
    select 'BSC', i.transaction_hash, 'USDT:0', 'USDT', i.from_address, q.to_address, 1000000000000000001, i.id / 4, $2, i.settled_at,
      i.settled_at, q.id, i.id
    from invoices i join quotes q on q.id = i.quote_id where i.store_id = $1 and i.status = 'completed' returning id, invoice_id)
  update invoices i set paid_transfer_id = p.id from paid p where p.invoice_id = i.id`;
const LEDGER = `
  insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, note, at)
  select date_trunc('month', i.created_at), i.store_id, e.kind, e.source, e.target, i.fee_micro_usd, i.id, 1, $2, e.at
  from invoices i cross join lateral (values
    ('hold', 'available', 'held', i.created_at, true),
    ('capture', 'held', 'revenue', i.ended_at, i.status = 'completed'),
    ('release', 'held', 'available', i.ended_at, i.status = 'expired')) e (kind, source, target, at, happened)
  where i.store_id = $1 and e.happened order by e.at, i.id`;

export async function seedTrade(client: pg.Client | pg.Pool, trade: Trade): Promise<void> {
  const { storeId, count, text = NOTHING_SPECIAL, first = 1 } = trade;
  await client.query(INVOICES, [storeId, text, first + count - 1, first]);
  await client.query(QUOTES, [storeId]);
  await client.query(TRANSFERS, [storeId, text]);
  await client.query(LEDGER, [storeId, text]);
  await client.query('analyze invoices, quotes, transfers, ledger_entries');
}
