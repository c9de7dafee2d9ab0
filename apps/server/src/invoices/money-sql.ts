import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/** Parts of statements that find the invoice of money. */

/** One invoice by id. The limit keeps the planner from joining all of a store, misled by row security. */
export const invoiceById = (id: RawBuilder<unknown>) => sql`
  select i.id, i.trans_id, i.store_id, i.status, i.request_id, i.name, i.created_at from invoices i where i.id = ${id} limit 1`;

// Not `coalesce`, which PostgreSQL does not treat as leakproof: row security would be checked before the index is used.
const INVOICE_ID = sql`case when t.invoice_id is not null then t.invoice_id else q.invoice_id end`;

/** Joins the invoice `i` that transfer `t` pays or was meant for, if known. */
export const INVOICE_OF_MONEY = sql`
  left join lateral (select q.invoice_id from quotes q where q.id = t.quote_id limit 1) q on true
  left join lateral (${invoiceById(INVOICE_ID)}) i on true`;
