import type pg from 'pg';
import { seededAddress, seededTransId } from '../../rig/invoices/seed-invoices.ts';

/**
 * Open quotes by SQL. Number n has invoice n + 1 and quote n + 1, of store 1 + n modulo the number of stores; all
 * quotes of a store share its address, so only the amount distinguishes them.
 */

export const STORES = 10_000;
export const MATCH_NETWORK = 'BSC';
const EXPIRE_NETWORK = 'ETH';
const EXPIRE_TIER = 'conf:12';
export const TOKEN = 'USDT';
export const FEE_MICRO_USD = 250_000;
export const CALLBACK_URL = 'https://shop.example/callback';
const LEAST_UNITS = 50_000_000;
const SOURCES = `'[{"source":"kraken","usd":"1","at":"2026-01-01T00:00:00.000Z"},{"source":"coinbase","usd":"1","at":"2026-01-01T00:00:00.000Z"}]'`;

export const storeOf = (n: number) => 1 + (n % STORES);
/** Amount of quote n, at display precision. */
export const unitsOf = (n: number) => LEAST_UNITS + Math.floor(n / STORES);
export const storeSql = (n: string) => `(1 + (${n}) % ${STORES})`;
export const unitsSql = (n: string) => `(${LEAST_UNITS} + (${n}) / ${STORES})`;

const series = (from: number, to: number) => `generate_series(${from}, ${to - 1}) n`;

async function seedInvoices(client: pg.Client, from: number, to: number, columns: string): Promise<void> {
  await client.query(`
    insert into invoices (id, store_id, trans_id, request_id, amount_usd, name, callback_url, fee_micro_usd,
      created_at, expires_at, quote_id, gate_network, gate_tier)
    overriding system value
    select n + 1, ${storeSql('n')}, ${seededTransId('n')}, 'seed-' || n, 50, 'a title', '${CALLBACK_URL}',
      ${FEE_MICRO_USD}, ${columns}
    from ${series(from, to)}`);
  await client.query(`
    insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
    select date_trunc('month', now())::date, ${storeSql('n')}, 'hold', 'available', 'held', ${FEE_MICRO_USD}, n + 1, 1, now()
    from ${series(from, to)}`);
}

async function seedQuotes(client: pg.Client, network: string, tier: string, numbers: string): Promise<void> {
  await client.query(`
    insert into quotes (id, invoice_id, network, token, to_address, token_amount, token_price_usd, created_at,
      display_units, finality, price_sources, held_from)
    overriding system value
    select n + 1, n + 1, '${network}', '${TOKEN}', ${seededAddress(storeSql('n'))}, ${unitsSql('n')} / 1000000.0, 1, now(),
      ${unitsSql('n')}, '${tier}', ${SOURCES}, now()
    from ${numbers}`);
  await client.query(`
    insert into amount_slots (network, token, address, display_units, quote_id)
    select '${network}', '${TOKEN}', ${seededAddress(storeSql('n'))}, ${unitsSql('n')}, n + 1 from ${numbers}`);
}

/** Seeded tables: to vacuum the whole database takes longer because of its catalogs. */
const SEEDED = 'invoices, quotes, amount_slots, ledger_entries';

/** Seeds invoices that wait for a payment on the matched network, with lifetimes longer than any run. */
export async function seedOpenQuotes(client: pg.Client, from: number, to: number): Promise<void> {
  const columns = `now(), now() + interval '1 day', n + 1, '${MATCH_NETWORK}', 'finalized'`;
  await seedInvoices(client, from, to, columns);
  await seedQuotes(client, MATCH_NETWORK, 'finalized', series(from, to));
  await client.query(`vacuum analyze ${SEEDED}`);
}

const selected = (column: string) => `case when n % 2 = 1 then ${column} end`;

/** Seeds due invoices: even ones without a selection, odd ones with a gate that is covered. */
export async function seedDueInvoices(client: pg.Client, from: number, to: number): Promise<void> {
  const times = `now() - interval '120 seconds', now() - interval '60 seconds' + (n - ${from}) * interval '1 microsecond'`;
  const gate = `${selected(`'${EXPIRE_NETWORK}'`)}, ${selected(`'${EXPIRE_TIER}'`)}`;
  await seedInvoices(client, from, to, `${times}, ${selected('n + 1')}, ${gate}`);
  await seedQuotes(client, EXPIRE_NETWORK, EXPIRE_TIER, `${series(from, to)} where n % 2 = 1`);
  await client.query(`vacuum analyze ${SEEDED}`);
}

/** Seeds an endpoint for every store, as if it had received events before. */
export async function seedEndpoints(client: pg.Client): Promise<void> {
  await client.query(`
    insert into endpoints (store_id, url, host)
    select n, '${CALLBACK_URL}', '${new URL(CALLBACK_URL).host}' from generate_series(1, ${STORES}) n`);
}

/** Seeds a chain whose coverage is later than the end of every due invoice. */
export async function seedCoveredChain(client: pg.Client): Promise<void> {
  await client.query(`
    insert into chains (network, height, hash, block_time, head_height, head_time)
      values ('${EXPIRE_NETWORK}', 1, '0x', now() + interval '1 day', 1, now() + interval '1 day');
    insert into chain_coverage (network, tier, height, block_time)
      select '${EXPIRE_NETWORK}', tier, 1, now() + interval '1 day' from unnest(array['${EXPIRE_TIER}', 'safe', 'finalized']) tier`);
}
