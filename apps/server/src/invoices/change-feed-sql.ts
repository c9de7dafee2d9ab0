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
 * Every change that can be seen now and could not when `$1` was current: of transactions that began since, and of those
 * that were under way then. So each is told once, one that commits late is not skipped, and a slow one holds up nobody.
 * `offset 0` keeps the planner from turning the second part round, which it would while it takes the feed for empty.
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

/** `next` is where the next reading begins. */
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

/** What can be seen now: a reading from here tells what cannot. */
export async function readPosition(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ next: string }>('select pg_current_snapshot()::text as next');
  const [row] = rows;
  if (!row) throw new Error('The change feed has no position.');
  return row.next;
}

/** Forgets changes that could be seen at a position; returns how many, at most `limit`. */
export async function deleteChangesBefore(pool: pg.Pool, position: string, limit: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from invoice_changes where ctid = any(array(
       select ctid from invoice_changes where xid < pg_snapshot_xmax($1::text::pg_snapshot)
         and pg_visible_in_snapshot(xid, $1::text::pg_snapshot) limit $2))`,
    [position, limit],
  );
  return rowCount ?? 0;
}
