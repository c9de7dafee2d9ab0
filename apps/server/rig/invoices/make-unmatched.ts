import type { Database } from '../../src/db/database.ts';
import type { TestStore } from '../stores/open-store.ts';

/** Money that pays nothing, as rows: as if a reader had recorded and explained it on a chain that is read to its height. */

const HEIGHT = 1;
const DECIMALS = 18;

/** A chain on which everything at the rig's height has settled. */
export async function settleChain({ pool }: Database): Promise<void> {
  await pool.query(`
    insert into chains (network, height, hash, block_time, head_height, head_time)
      values ('BSC', ${HEIGHT}, '0x', now(), ${HEIGHT}, now()) on conflict do nothing;
    insert into chain_coverage (network, tier, height, block_time) values ('BSC', 'finalized', ${HEIGHT}, now())
      on conflict do nothing`);
}

let made = 0;
const nextCode = () => `${process.pid}${(made += 1)}`.padStart(16, '0');

type Quoted = { transId: string; quoteId: bigint; to: string };

/** An invoice of a store, quoted in USDT on BSC at the store's address. */
export async function quoteInvoice({ pool }: Database, store: Pick<TestStore, 'id'>, amount: string): Promise<Quoted> {
  const transId = `TID-${nextCode()}`;
  const { rows } = await pool.query<{ id: bigint; to: string }>(
    `with invoice as (
       insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd, callback_url)
       values ($1, $2, $3::numeric, now(), now() + interval '1 hour', 0, 'https://shop.example/hook') returning id)
     insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units, finality,
       price_sources, held_from)
     select i.id, 'BSC', 'USDT', w.address, $3::numeric, 1, now(), $3::numeric * 1000000, 'finalized', '[]', now() - interval '1 minute'
     from invoice i, wallets w where w.store_id = $1 and w.network = 'BSC' and w.removed_at is null order by w.id limit 1
     returning id, to_address as to`,
    [store.id, transId, amount],
  );
  const [quote] = rows;
  if (!quote) throw new Error('The store has no address.');
  return { transId, quoteId: quote.id, to: quote.to };
}

type Sent = { amount: string; reason?: string; quoteId?: bigint | null; from?: string; token?: string };

/** Money that arrived at an address; returns the transfer's number. */
export async function receiveUnmatched(
  { pool }: Database,
  to: string,
  { amount, reason = 'short', quoteId = null, from = '0xpayer', token = 'USDT' }: Sent,
): Promise<string> {
  const { rows } = await pool.query<{ id: bigint }>(
    `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
       quote_id, reason, read_by, proven_by)
     values ('BSC', '0x' || $1, $2 || ':0', $2, $3, $4, $5::numeric * 1e${DECIMALS}, ${HEIGHT}, '0x', now(), now(), $6, $7, 'a', 'b')
     returning id`,
    [nextCode(), token, from, to, amount, quoteId, reason],
  );
  return String(rows[0]?.id);
}
