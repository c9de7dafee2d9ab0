import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { CancelFacts } from './cancellation.ts';

/** SQL of requests to cancel an invoice, and of the cancel itself. */

export type CancellableInvoice = CancelFacts & {
  id: bigint;
  transId: string;
  requestId: string | null;
  amountUsd: string;
  expiresAt: Date;
  /** Whether a request to cancel it waits for a worker. */
  requested: boolean;
};

const FACTS = sql`i.id, i.trans_id as "transId", i.request_id as "requestId", i.status, i.amount_usd as "amountUsd",
  i.expires_at as "expiresAt", i.cancelled_at as "cancelledAt",
  exists (select from transfers t where t.invoice_id = i.id and t.reason is null) as attached,
  exists (select from cancel_requests r where r.invoice_id = i.id) as requested`;

export async function findCancellable(
  queries: Queries | Tx,
  storeId: bigint,
  transId: string,
): Promise<CancellableInvoice | undefined> {
  const { rows } = await sql<CancellableInvoice>`
    select ${FACTS} from invoices i where i.trans_id = ${transId} and i.store_id = ${storeId}`.execute(queries);
  return rows[0];
}

export async function findInvoiceId(tx: Tx, transId: string): Promise<bigint | undefined> {
  const { rows } = await sql<{ id: bigint }>`select id from invoices where trans_id = ${transId}`.execute(tx);
  return rows[0]?.id;
}

/** The facts of a locked invoice. */
export async function readCancelFacts(tx: Tx, id: bigint): Promise<CancellableInvoice> {
  const { rows } = await sql<CancellableInvoice>`select ${FACTS} from invoices i where i.id = ${id}`.execute(tx);
  const [facts] = rows;
  if (!facts) throw new Error(`Invoice ${id} is gone.`);
  return facts;
}

type NewRequest = { invoiceId: bigint; storeId: bigint; requestedBy: string; at: Date };

/** Leaves a request for a worker; false when one waits already. */
export async function insertCancelRequest(
  queries: Queries | Tx,
  { invoiceId, storeId, requestedBy, at }: NewRequest,
): Promise<boolean> {
  const { rows } = await sql`
    insert into cancel_requests (invoice_id, store_id, requested_by, requested_at)
    values (${invoiceId}, ${storeId}, ${requestedBy}, ${at}) on conflict do nothing returning 1`.execute(queries);
  return rows.length > 0;
}

type CancelRequest = { invoiceId: bigint; requestedBy: string };

export async function listCancelRequests(queries: Queries, limit: number): Promise<CancelRequest[]> {
  const { rows } = await sql<CancelRequest>`
    select invoice_id as "invoiceId", requested_by as "requestedBy" from cancel_requests
    order by invoice_id limit ${limit}`.execute(queries);
  return rows;
}

/** Locks a request; false when it was decided or another worker has it. */
export async function lockCancelRequest(tx: Tx, invoiceId: bigint): Promise<boolean> {
  const { rows } = await sql`
    select from cancel_requests where invoice_id = ${invoiceId} for update skip locked`.execute(tx);
  return rows.length > 0;
}

export async function deleteCancelRequest(tx: Tx, invoiceId: bigint): Promise<void> {
  await sql`delete from cancel_requests where invoice_id = ${invoiceId}`.execute(tx);
}

export async function markCancelled(tx: Tx, id: bigint, cancelledAt: Date, by: string): Promise<void> {
  await sql`update invoices set cancelled_at = ${cancelledAt}, cancelled_by = ${by} where id = ${id}`.execute(tx);
}
