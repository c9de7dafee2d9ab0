import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/** Invoices that wait for a payment to settle which stands in no chain any more. */

export type ProcessingInvoice = { id: bigint; unpaid: boolean };

/** The next processing invoices after an id, and whether nothing that stands pays each: one probe of the index for each. */
export const processingAfter = (after: bigint, limit: number) => sql<ProcessingInvoice>`
  select i.id, not exists (select from transfers t where t.invoice_id = i.id and t.canonical) as unpaid
  from (select id from invoices where status = 'processing' and id > ${after} order by id limit ${limit}) i
  order by i.id`;

export async function readProcessing(queries: Queries, after: bigint, limit: number): Promise<ProcessingInvoice[]> {
  const { rows } = await processingAfter(after, limit).execute(queries);
  return rows;
}

/** Locks those that nobody else works on; the others come round again. */
export async function lockProcessing(tx: Tx, ids: readonly bigint[]): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select id from invoices where id = any(${ids}::bigint[]) and status = 'processing'
    order by id for update skip locked`.execute(tx);
  return rows.map((row) => row.id);
}
