import type pg from 'pg';
import { createApiKeyText, hashApiKey } from '../../src/stores/api-key.ts';

/**
 * Fills a database by SQL, so that a million rows take seconds. Invoice n belongs to store 1 + n modulo the number of
 * stores.
 */

export type SeededStore = { id: number; merchantId: string; apiKey: string };

const SHARD = 'A';
const BALANCE_MICRO_USD = 1_000_000_000_000_000;

/** Code of invoice n as an SQL expression: pgbench runs can find seeded invoices without a join. */
export const seededTransId = (n: string) => `'TID-${SHARD}' || upper(substr(md5((${n})::text), 1, 15))`;
/** Receiving address of store n, with the length and distribution of real receiving addresses. */
export const seededAddress = (n: string) => `'0x' || md5((${n})::text) || substr(md5('more' || (${n})::text), 1, 8)`;
/**
 * Hash of the second API key of store n as an SQL expression, so that pgbench runs can compute the hash for any store.
 */
export const bareKeyHash = (n: string) => `sha256(('bare' || (${n})::text)::bytea)`;

export async function seedStores(client: pg.Client, stores: number): Promise<SeededStore[]> {
  const seeded = Array.from({ length: stores }, (_unused, index) => ({
    id: index + 1,
    merchantId: `MID-BENCH${index + 1}`,
    apiKey: createApiKeyText(true, SHARD),
  }));
  await client.query(`
    insert into key_ring_keys (id, check_value) values ('bench', 'x');
    insert into plans (code, fee_rate_percent, create_burst, create_sustained, lookup_burst, lookup_sustained, created_at)
      values ('bench', 0.5, 1000000, 1000000, 1000000, 1000000, now());
    insert into merchants (name, created_at) select 'bench', now() from generate_series(1, ${stores});
    insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
      select n, 'MID-BENCH' || n, '${SHARD}', 'bench', 1, now() from generate_series(1, ${stores}) n;
    insert into balances (store_id, available_micro_usd) select n, ${BALANCE_MICRO_USD} from generate_series(1, ${stores}) n;
    insert into secrets (purpose, ring_key_id, sealed) select 'bench', 'bench', 'x' from generate_series(1, ${stores});
    insert into receiving_addresses (family, address, merchant_account_id, claimed_at)
      select 'evm', ${seededAddress('n')}, n, now() from generate_series(1, ${stores}) n;
    insert into wallets (store_id, merchant_account_id, network, family, address, added_at)
      select n, n, 'BSC', 'evm', ${seededAddress('n')}, now() from generate_series(1, ${stores}) n;
    insert into api_keys (store_id, hash, secret_id, hint, created_at)
      select n, ${bareKeyHash('n')}, n, 'bare', now() from generate_series(1, ${stores}) n`);
  await client.query(
    `insert into api_keys (store_id, hash, secret_id, hint, created_at)
     select store_id, hash, store_id, 'real', now() from unnest($1::bigint[], $2::bytea[]) as k (store_id, hash)`,
    [seeded.map((store) => store.id), seeded.map((store) => hashApiKey(store.apiKey))],
  );
  return seeded;
}

/** Adds invoices from `from` to before `to`, each with its hold. */
export async function seedInvoices(client: pg.Client, stores: number, from: number, to: number): Promise<void> {
  await client.query(`
    with made as (
      insert into invoices (store_id, trans_id, request_id, amount_usd, name, callback_url, created_at, expires_at, fee_micro_usd)
      select 1 + n % ${stores}, ${seededTransId('n')}, 'seed-' || n, 50, 'a title', 'https://shop.example/callback',
        now(), now() + interval '30 minutes', 250000
      from generate_series(${from}, ${to - 1}) n returning id, store_id
    )
    insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
    select date_trunc('month', now())::date, store_id, 'hold', 'available', 'held', 250000, id, 1, now() from made`);
  await client.query('vacuum analyze');
}
