import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { ExportFilter } from './export.ts';

/** Invoices of one store by page, with quotes and payments. */

export type InvoiceRow = {
  id: bigint;
  /** Whether the filter matches. Pages are parts of all rows, so that each statement reads the same number. */
  matches: boolean;
  transId: string;
  requestId: string | null;
  status: string;
  late: boolean;
  amountUsd: string;
  name: string | null;
  description: string | null;
  feeMicroUsd: bigint;
  network: string | null;
  token: string | null;
  tokenAmount: string | null;
  priceUsd: string | null;
  pricedAt: Date | null;
  toAddress: string | null;
  fromAddress: string | null;
  txId: string | null;
  /** Received base units. */
  paidUnits: string | null;
  callbackStatus: string | null;
  createdAt: Date;
  expiresAt: Date;
  settledAt: Date | null;
  endedAt: Date | null;
  currency: string | null;
  currencyAmount: string | null;
  exchangeRate: string | null;
};

type InvoicePage = { storeId: bigint; after: bigint; filter: ExportFilter; limit: number };

export async function readInvoicePage(
  queries: Queries,
  { storeId, after, filter: { fromAt, toAt, status }, limit }: InvoicePage,
): Promise<InvoiceRow[]> {
  const { rows } = await sql<InvoiceRow>`
    with page as materialized (
      select i.id, i.trans_id, i.request_id, i.status, i.late, i.amount_usd, i.name, i.description, i.fee_micro_usd, i.quote_id,
        i.from_address, i.transaction_hash, i.paid_transfer_id, i.callback_status, i.created_at, i.expires_at, i.settled_at,
        i.ended_at, i.currency, i.currency_amount, i.exchange_rate,
        i.created_at < ${toAt} and i.created_at >= coalesce(${fromAt}::timestamptz, '-infinity')
          and i.status = coalesce(${status}::text, i.status) as matches
      from invoices i where i.store_id = ${storeId} and i.id > ${after} order by i.id limit ${sql.lit(limit)})
    select p.id, p.matches, p.trans_id as "transId", p.request_id as "requestId", p.status, p.late, p.amount_usd as "amountUsd",
      p.name, p.description, p.fee_micro_usd as "feeMicroUsd", q.network, q.token, q.token_amount as "tokenAmount",
      q.token_price_usd as "priceUsd", q.created_at as "pricedAt", q.to_address as "toAddress", p.from_address as "fromAddress",
      p.transaction_hash as "txId", t.units as "paidUnits", p.callback_status as "callbackStatus", p.created_at as "createdAt",
      p.expires_at as "expiresAt", p.settled_at as "settledAt", p.ended_at as "endedAt",
      p.currency, p.currency_amount as "currencyAmount", p.exchange_rate as "exchangeRate"
    from page p
      left join quotes q on p.matches and q.id = p.quote_id
      left join transfers t on p.matches and t.id = p.paid_transfer_id
    order by p.id`.execute(queries);
  return rows;
}
