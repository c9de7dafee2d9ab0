import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { InvoiceStatus } from './invoice.ts';

/** Most quotes of one invoice that are read. */
const MAX_QUOTES = 50;

export type InvoiceState = {
  transId: string;
  status: InvoiceStatus;
  late: boolean;
  cancelled: boolean;
  arrived: boolean;
  callbackStatus: 'success' | 'failed' | null;
};

/** Whether an invoice `i` ended by a cancel, and was not paid after all. */
export const CANCELLED = sql`i.status = 'expired' and i.cancelled_at is not null`;

/**
 * Whether an invoice `i` expired although money arrived for it. Limits per row keep the planner, which expects few rows
 * under row security, from reading whole tables.
 */
export const ARRIVED = sql`i.status = 'expired' and (
  exists (select from transfers t where t.invoice_id = i.id and t.canonical and t.reason is not null limit 1)
  or exists (
    select from (select q.id from quotes q where q.invoice_id = i.id order by q.id limit ${MAX_QUOTES}) q cross join lateral (
      select from transfers t where t.quote_id = q.id and t.invoice_id is null and t.canonical and t.reason is not null limit 1) t))`;

export async function readStates(
  queries: Queries,
  storeIds: readonly bigint[],
  transIds: readonly string[],
): Promise<InvoiceState[]> {
  const { rows } = await sql<InvoiceState>`
    select i.trans_id as "transId", i.status, i.late, ${CANCELLED} as cancelled, ${ARRIVED} as arrived,
      i.callback_status as "callbackStatus" from invoices i
    where i.trans_id = any(${transIds}::text[]) and i.store_id = any(${storeIds}::bigint[])
    order by i.trans_id`.execute(queries);
  return rows;
}
