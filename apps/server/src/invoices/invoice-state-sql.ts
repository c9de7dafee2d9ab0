import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { InvoiceStatus } from './invoice.ts';

export type InvoiceState = {
  transId: string;
  status: InvoiceStatus;
  late: boolean;
  callbackStatus: 'success' | 'failed' | null;
};

/** How invoices of some stores stand, by their codes. */
export async function readStates(
  queries: Queries,
  storeIds: readonly bigint[],
  transIds: readonly string[],
): Promise<InvoiceState[]> {
  const { rows } = await sql<InvoiceState>`
    select i.trans_id as "transId", i.status, i.late, i.callback_status as "callbackStatus" from invoices i
    where i.trans_id = any(${transIds}::text[]) and i.store_id = any(${storeIds}::bigint[])
    order by i.trans_id`.execute(queries);
  return rows;
}
