import { sql } from 'kysely';
import type pg from 'pg';
import type { Prepared } from '../db/database.ts';
import { runPrepared } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/**
 * The change feed: invoices that changed, for the pages that show them. Positions are transaction snapshots: a serial
 * number would skip changes that commit late.
 */

export async function recordChanges(tx: Tx, invoiceIds: readonly bigint[]): Promise<void> {
  if (invoiceIds.length === 0) return;
  await sql`insert into invoice_changes (invoice_id) select * from unnest(${invoiceIds}::bigint[])`.execute(tx);
}

/**
 * Reads every change that is visible now and was not in snapshot `$1`: of later transactions, and of those that were
 * running. Each change is read once, and late or slow commits are neither skipped nor block others. `offset 0` keeps
 * the planner, which expects an empty feed, from reversing the second join.
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

/** `next` is the position where the next read continues. */
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

/** The present position: a read from here returns changes that are not visible yet. */
export async function readPosition(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ next: string }>('select pg_current_snapshot()::text as next');
  const [row] = rows;
  if (!row) throw new Error('The change feed has no position.');
  return row.next;
}

/** Deletes at most `limit` changes that were visible at a position; returns how many. */
export async function deleteChangesBefore(pool: pg.Pool, position: string, limit: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from invoice_changes where ctid = any(array(
       select ctid from invoice_changes where xid < pg_snapshot_xmax($1::text::pg_snapshot)
         and pg_visible_in_snapshot(xid, $1::text::pg_snapshot) limit $2))`,
    [position, limit],
  );
  return rowCount ?? 0;
}
