import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/** The end of exports: files expire, chunks are deleted, and finally the row. */

export async function expireExports(queries: Queries, now: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    update exports set state = 'expired' where state = 'done' and id = any(array(
      select e.id from exports e where e.state = 'done' and e.expires_at <= ${now}
      order by e.expires_at, e.id limit ${limit}))
    returning 1`.execute(queries);
  return rows.length;
}

/** An export whose chunks are no longer needed. */
export async function findErasableExport(queries: Queries): Promise<bigint | undefined> {
  const { rows } = await sql<{ id: bigint }>`
    select id from exports where has_chunks and state in ('failed', 'expired') order by id limit 1`.execute(queries);
  return rows[0]?.id;
}

export async function markErased(queries: Queries, id: bigint): Promise<void> {
  await sql`
    update exports set has_chunks = false where id = ${id} and state in ('failed', 'expired')`.execute(queries);
}

/** Forgets exports without a file from before a moment; returns how many. */
export async function forgetExports(queries: Queries, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from exports where id = any(array(
      select e.id from exports e where not e.has_chunks and e.state in ('failed', 'expired') and e.created_at < ${before}
      order by e.created_at, e.id limit ${limit}))
    returning 1`.execute(queries);
  return rows.length;
}
