import { sql } from 'kysely';
import type pg from 'pg';
import type { Prepared } from '../db/database.ts';
import { runPrepared } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/**
 * The change feed: which invoices changed, for the pages that show them. Readers remember a snapshot of transactions as
 * their position: a serial number would skip changes that commit late.
 */

/** Records, in the transaction of the change, that the views of these invoices have changed. */
export async function recordChanges(tx: Tx, invoiceIds: readonly bigint[]): Promise<void> {
  if (invoiceIds.length === 0) return;
  await sql`insert into invoice_changes (invoice_id) select * from unnest(${invoiceIds}::bigint[])`.execute(tx);
}

/**
 * Reads every change that is visible now and was not in the snapshot `$1`: changes of transactions that began later,
 * and of those that were running then. So each change is read once, a change that commits late is not skipped, and a
 * slow transaction delays no other change. `offset 0` keeps the planner from reversing the join of the second part,
 * which it would do while it believes that the feed is empty.
 */
export const CHANGES_STATEMENT: Prepared = {
  name: 'read-invoice-changes',
  text: `
select s.next, c.invoice_id as "invoiceId"
from (select pg_current_snapshot()::text as next) s
  left join lateral (
    (select invoice_id from invoice_changes where xid >= pg_snapshot_xmax($1::text::pg_snapshot))
    union all
    (select c.invoice_id from pg_snapshot_xip($1::text::pg_snapshot) as under_way (xid)
      cross join lateral (select invoice_id from invoice_changes where xid = under_way.xid offset 0) c)
    limit $2::integer) c on true`,
};

/** A read of the change feed; `next` is the position from which the next read goes on. */
type Changes = { next: string; invoiceIds: bigint[] };

export async function readChanges(pool: pg.Pool, position: string, limit: number): Promise<Changes> {
  const rows = await runPrepared<{ next: string; invoiceId: bigint | null }>(pool, CHANGES_STATEMENT, [
    position,
    limit,
  ]);
  const [first] = rows;
  if (!first) throw new Error('The change feed answered nothing.');
  return { next: first.next, invoiceIds: rows.flatMap(({ invoiceId }) => invoiceId ?? []) };
}

/** The present position in the change feed: a read from this position returns the changes that are not visible yet. */
export async function readPosition(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ next: string }>('select pg_current_snapshot()::text as next');
  const [row] = rows;
  if (!row) throw new Error('The change feed has no position.');
  return row.next;
}

/** Deletes changes that were visible at a position; returns how many, at most `limit`. */
export async function deleteChangesBefore(pool: pg.Pool, position: string, limit: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from invoice_changes where ctid = any(array(
       select ctid from invoice_changes where xid < pg_snapshot_xmax($1::text::pg_snapshot)
         and pg_visible_in_snapshot(xid, $1::text::pg_snapshot) limit $2))`,
    [position, limit],
  );
  return rowCount ?? 0;
}
