import { sql } from 'kysely';
import type pg from 'pg';
import type { Prepared } from '../db/database.ts';
import { runPrepared } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { InvoiceStatus } from './invoice.ts';
import type { PricingColumns } from '../rates/pricing.ts';
import type { Metadata } from './metadata.ts';

/** Statements that read invoices. Lookups include the store, so that no store reaches another's invoices. */

export type LookupAsk = { storeId: bigint; transId: string };

/** Columns of an invoice `i` and its quote `q` in the public contract. */
export const SHOWN_COLUMNS = `i.trans_id, i.request_id, i.status, i.amount_usd, i.name, i.description, i.metadata, i.methods, i.created_at, i.expires_at,
  i.currency, i.currency_amount, i.exchange_rate,
  i.cancelled_at, i.fee_micro_usd, i.transaction_hash, i.from_address, i.callback_status,
  q.token, q.network, q.token_amount, q.token_price_usd, q.to_address`;

export const LOOKUP_STATEMENT: Prepared = {
  name: 'lookup-invoice',
  text: `
select a.position::integer as position, ${SHOWN_COLUMNS}
from unnest($1::bigint[], $2::text[]) with ordinality as a (store_id, trans_id, position)
  join invoices i on i.trans_id = a.trans_id and i.store_id = a.store_id
  left join quotes q on q.id = i.quote_id`,
};

export type InvoiceRow = {
  trans_id: string;
  request_id: string | null;
  status: InvoiceStatus;
  amount_usd: string;
  name: string | null;
  description: string | null;
  metadata: Metadata | null;
  methods: string[] | null;
  created_at: Date;
  expires_at: Date;
  cancelled_at: Date | null;
  fee_micro_usd: bigint;
  transaction_hash: string | null;
  from_address: string | null;
  callback_status: 'success' | 'failed' | null;
  token: string | null;
  network: string | null;
  token_amount: string | null;
  token_price_usd: string | null;
  to_address: string | null;
} & PricingColumns;

/** Invoices in the order of the requests; undefined if absent or another store's. */
export async function findInvoices(pool: pg.Pool, asks: readonly LookupAsk[]): Promise<(InvoiceRow | undefined)[]> {
  const rows = await runPrepared<InvoiceRow & { position: number }>(pool, LOOKUP_STATEMENT, [
    asks.map((ask) => ask.storeId),
    asks.map((ask) => ask.transId),
  ]);
  const found: (InvoiceRow | undefined)[] = asks.map(() => undefined);
  for (const row of rows) found[row.position - 1] = row;
  return found;
}

/** Invoices of any store as in the public contract, for the events that change-invoices.ts writes. */
export async function readInvoices(tx: Tx, ids: readonly bigint[]): Promise<Map<bigint, InvoiceRow>> {
  const { rows } = await sql<InvoiceRow & { id: bigint }>`
    select i.id, ${sql.raw(SHOWN_COLUMNS)} from invoices i left join quotes q on q.id = i.quote_id
    where i.id = any(${ids}::bigint[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}
