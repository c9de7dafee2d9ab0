import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { InvoiceStatus } from './invoice.ts';

/** Invoices that wait for a payment to settle: processing invoices, and expired invoices with a payment in a chain. */

export type PendingInvoice = { id: bigint; status: InvoiceStatus };

/**
 * Remembers expired invoices with a payment in a chain, under their locks, because nothing else would find these
 * invoices again.
 */
export async function rememberPending(tx: Tx, ids: readonly bigint[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    insert into expired_pending (invoice_id) select id from unnest(${ids}::bigint[]) as p (id) order by id
    on conflict do nothing`.execute(tx);
}

export async function forgetPending(tx: Tx, ids: readonly bigint[]): Promise<void> {
  await sql`delete from expired_pending where invoice_id = any(${ids}::bigint[])`.execute(tx);
}

/** The next processing invoices after an id. */
export const processingAfter = (after: bigint, limit: number) => sql<PendingInvoice>`
  select id, status from invoices where status = 'processing' and id > ${after} order by id limit ${limit}`;

/** The next invoices after an id that have a row in `expired_pending`, whatever their status is now. */
const expiredAfter = (after: bigint, limit: number) => sql<PendingInvoice>`
  select i.id, i.status from (select invoice_id from expired_pending where invoice_id > ${after} order by invoice_id limit ${limit}) p
    join invoices i on i.id = p.invoice_id
  order by i.id`;

export async function readProcessing(queries: Queries, after: bigint, limit: number): Promise<PendingInvoice[]> {
  return (await processingAfter(after, limit).execute(queries)).rows;
}

export async function readExpiredPending(queries: Queries, after: bigint, limit: number): Promise<PendingInvoice[]> {
  return (await expiredAfter(after, limit).execute(queries)).rows;
}

/** Locks invoices that no other transaction has locked; the others are found again in a later round. */
export async function lockPending(tx: Tx, ids: readonly bigint[]): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select id from invoices where id = any(${ids}::bigint[]) order by id for update skip locked`.execute(tx);
  return rows.map((row) => row.id);
}
