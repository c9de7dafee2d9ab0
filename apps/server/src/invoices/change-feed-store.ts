import { sql } from 'kysely';
import type pg from 'pg';
import type { Prepared } from '../db/database.ts';
import { runPrepared } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/** Which invoices changed, for those who watch them. Read by transaction: a serial number would skip what commits late. */

/** Says, in the transaction of the change, that what a customer sees of these invoices is different now. */
export async function recordChanges(tx: Tx, invoiceIds: readonly bigint[]): Promise<void> {
  if (invoiceIds.length === 0) return;
  await sql`insert into invoice_changes (invoice_id) select * from unnest(${invoiceIds}::bigint[])`.execute(tx);
}

/**
 * Every change since a position that can be seen now, and the next position: the oldest transaction that has not ended.
 * What is newer than that is told again next time, so that one slow writer neither hides a change nor holds up others'.
 */
export const CHANGES_STATEMENT: Prepared = {
  name: 'read-invoice-changes',
  text: `
select s.next, c.xid::text as xid, c.invoice_id as "invoiceId"
from (select pg_snapshot_xmin(pg_current_snapshot())::text as next) s
  left join lateral (select xid, invoice_id from invoice_changes where xid >= $1::text::xid8 order by xid limit $2::integer) c on true`,
};

export type InvoiceChange = { xid: string; invoiceId: bigint };
export type Changes = { next: string; changes: InvoiceChange[] };

export async function readChanges(pool: pg.Pool, position: string, limit: number): Promise<Changes> {
  const rows = await runPrepared<{ next: string; xid: string | null; invoiceId: bigint | null }>(
    pool,
    CHANGES_STATEMENT,
    [position, limit],
  );
  const [first] = rows;
  if (!first) throw new Error('The change feed answered nothing.');
  const changes = rows.flatMap(({ xid, invoiceId }) =>
    xid === null || invoiceId === null ? [] : [{ xid, invoiceId }],
  );
  return { next: first.next, changes };
}

/** The oldest transaction that has not ended: what commits from now on is not older. */
export async function readPosition(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ next: string }>('select pg_snapshot_xmin(pg_current_snapshot())::text as next');
  const [row] = rows;
  if (!row) throw new Error('The change feed has no position.');
  return row.next;
}

/** Forgets changes before a position; returns how many, at most `limit`. */
export async function deleteChangesBefore(pool: pg.Pool, position: string, limit: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from invoice_changes where (xid, invoice_id) in (
       select xid, invoice_id from invoice_changes where xid < $1::text::xid8 order by xid limit $2)`,
    [position, limit],
  );
  return rowCount ?? 0;
}
