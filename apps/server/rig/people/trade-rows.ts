import { creditBalance } from '../../src/ledger/credit-balance.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { storeForOperator } from '../../src/stores/store-for-operator.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { NETWORKS } from '../chains/networks.ts';
import { nextAddress, TESTER } from '../stores/open-store.ts';
import type { AppSite } from './app-site.ts';

/** Invoices and their events as rows: as if customers had paid and servers had been notified. */

export type TradeStore = { merchantId: string; id: bigint };

const NETWORK = 'BSC';
const DECIMALS = 18;
const DISPLAY = 1_000_000;
const CREDIT_MICRO_USD = 1_000_000_000n;
const MICRO = 1_000_000;
const FEE_SHARE = 0.01;

/** A store of the site's merchant; a live one with an address and a balance. */
export async function openTradeStore(
  { owner, account, database }: AppSite,
  name: string,
  mode: 'live' | 'test' = 'live',
): Promise<TradeStore> {
  const { body } = await owner.browser.send('POST', `/accounts/${account}/stores`, { name, mode });
  const merchantId = String(body.data?.['merchant_id']);
  const context = { networks: NETWORKS, database, clock: systemClock, jobs: undefined };
  const ref = await storeForOperator(context, TESTER, merchantId);
  if (mode === 'live') {
    await addWallet(context, TESTER, { store: ref, network: NETWORK, address: nextAddress() });
    await creditBalance(context, TESTER, { store: ref, microUsd: CREDIT_MICRO_USD, note: 'a first balance' });
  }
  return { merchantId, id: ref.id };
}

let made = 0;
const nextCode = () => `TID-K${`${process.pid}${(made += 1)}`.padStart(15, '0')}`;
const hash = () => `md5(random()::text) || md5(random()::text)`;

type Order = { name?: string; amount: string; requestId?: string; minutesAgo?: number; description?: string };

/**
 * An invoice created some minutes ago, with its fee held. Its end is in the future until `complete` or `expire` sets
 * it, half an hour after the beginning: a concurrent worker would expire an old invoice immediately.
 */
export async function placeOrder({ database }: AppSite, store: TradeStore, order: Order): Promise<string> {
  const { name = null, amount, requestId = null, minutesAgo = 0, description = null } = order;
  const code = nextCode();
  const fee = Math.max(1, Math.round(Number(amount) * FEE_SHARE * MICRO));
  await database.pool.query(
    `with made as (
       insert into invoices (store_id, trans_id, request_id, amount_usd, name, description, callback_url, created_at, expires_at, fee_micro_usd)
       values ($1, $2, $3, $4, $5, $6, 'https://shop.northwind.example/hook', now() - make_interval(mins => $7),
         now() + make_interval(mins => 30 - $7 % 30), $8) returning id, created_at)
     insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
     select date_trunc('month', created_at)::date, $1, 'hold', 'available', 'held', $8, id, 1, created_at from made`,
    [store.id, code, requestId, amount, name, description, minutesAgo, fee],
  );
  return code;
}

const SOURCES = ['binance', 'coinbase', 'kraken'];

/** The customer's choice of USDT on BSC, one minute after the beginning; `salt` distinguishes the amount. */
export async function chooseMethod({ database }: AppSite, code: string, salt = '0.003127'): Promise<void> {
  const usd = ['1.0001', '1', '0.9999'];
  const sources = SOURCES.map((source, index) => ({ source, usd: usd[index], ago: index }));
  await database.pool.query(
    `with chosen as (
       insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units, finality,
         price_sources, held_from)
       select i.id, '${NETWORK}', 'USDT', w.address, i.amount_usd + $2::numeric, 1, i.created_at + interval '49 seconds',
         (i.amount_usd + $2::numeric) * ${DISPLAY}, 'finalized',
         (select jsonb_agg(jsonb_build_object('source', s->>'source', 'usd', s->>'usd', 'at',
           to_char((i.created_at + interval '48 seconds' - make_interval(secs => (s->>'ago')::integer)) at time zone 'UTC',
             'YYYY-MM-DD"T"HH24:MI:SS"Z"'))) from jsonb_array_elements($3::jsonb) s),
         i.created_at
       from invoices i join wallets w on w.store_id = i.store_id where i.trans_id = $1 limit 1 returning id, invoice_id)
     update invoices i set quote_id = chosen.id from chosen where i.id = chosen.invoice_id`,
    [code, salt, JSON.stringify(sources)],
  );
}

/** Money for an invoice's quote; `less` than it asks for pays nothing, and says why. */
export async function receiveMoney(
  { database }: AppSite,
  code: string,
  { less = '0', reason = null }: { less?: string; reason?: string | null } = {},
): Promise<string> {
  const { rows } = await database.pool.query<{ tx: string }>(
    `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
       quote_id, invoice_id, reason, read_by, read_how, proven_by, proven_how, proven_at)
     select q.network, '0x' || ${hash()}, 'USDT:0', q.token, '0x3fa2c8' || substr(md5(random()::text), 1, 28) || '5e91cc', q.to_address,
       (q.token_amount - $2::numeric) * 1e${DECIMALS}, 71204918, '0x' || ${hash()}, q.created_at + interval '213 seconds',
       q.created_at + interval '216 seconds', q.id, case when $3::text is null then q.invoice_id end, $3, 'node-a', 'logs', 'node-b',
       'receipt', q.created_at + interval '231 seconds'
     from quotes q join invoices i on i.quote_id = q.id where i.trans_id = $1 returning tx_id as tx`,
    [code, less, reason],
  );
  return rows[0]?.tx ?? '';
}

/** Completes an invoice by the money that came for it, and takes its fee. */
export async function complete({ database }: AppSite, code: string, { late = false } = {}): Promise<void> {
  await database.pool.query(
    `with done as (
       update invoices i set status = 'completed', late = $2, expires_at = i.created_at + interval '30 minutes', transaction_hash = t.tx_id, from_address = t.from_address,
         settled_at = t.proven_at, ended_at = t.proven_at, paid_transfer_id = t.id
       from transfers t where t.invoice_id = i.id and i.trans_id = $1 returning i.id, i.store_id, i.fee_micro_usd, i.created_at, i.ended_at)
     insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
     select date_trunc('month', created_at)::date, store_id, 'capture', 'held', 'revenue', fee_micro_usd, id, 1, ended_at from done`,
    [code, late],
  );
}

export async function expire({ database }: AppSite, code: string): Promise<void> {
  await database.pool.query(
    `with done as (
       update invoices set status = 'expired', expires_at = created_at + interval '30 minutes',
         ended_at = created_at + interval '30 minutes 63 seconds' where trans_id = $1
       returning id, store_id, fee_micro_usd, created_at, ended_at)
     insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
     select date_trunc('month', created_at)::date, store_id, 'release', 'held', 'available', fee_micro_usd, id, 1, ended_at from done`,
    [code],
  );
}

/** Notifies the merchant's server of an invoice's end: one attempt per answer. */
export async function tellServer({ database }: AppSite, code: string, answers: readonly number[]): Promise<void> {
  const isGood = answers.at(-1) === 200;
  await database.pool.query(
    `with told as (
       insert into events (event_id, store_id, invoice_id, sequence, type, body, created_at)
       select 'evt_' || substr(md5(random()::text), 1, 24), store_id, id, 1, 'invoice.' || status, '{}', ended_at
       from invoices where trans_id = $1 returning id, store_id, invoice_id, created_at),
     place as (
       insert into endpoints (store_id, url, host)
       select store_id, 'https://shop.northwind.example/hook', 'shop.northwind.example' from told
       on conflict (store_id, url) do update set host = excluded.host returning id),
     sent as (
       insert into deliveries (event_row_id, endpoint_id, store_id, invoice_id, sequence, host, state, attempts, next_attempt_at, created_at)
       select told.id, place.id, told.store_id, told.invoice_id, 1, 'shop.northwind.example', $3, cardinality($2::smallint[]), told.created_at, told.created_at
       from told, place returning id, created_at),
     marked as (update invoices set callback_status = $4 where trans_id = $1)
     insert into attempts (at, delivery_id, number, duration_ms, status, request_headers)
     select created_at + make_interval(secs => 1 + (n - 1) * 5), id, n, 96 + n * 59, answer, '{}'
     from sent, unnest($2::smallint[]) with ordinality as a (answer, n)`,
    [code, answers, isGood ? 'delivered' : 'failed', isGood ? 'success' : 'failed'],
  );
}
