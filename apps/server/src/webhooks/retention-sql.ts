import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';

/** Never erases while a delivery is pending. */

const NOTHING_PENDING = sql`not exists (select from deliveries d where d.event_row_id = e.id and d.state = 'pending')`;

export async function lockErasable(tx: Tx, before: Date, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select e.id from events e where e.body is not null and e.created_at < ${before} and ${NOTHING_PENDING}
    order by e.created_at limit ${limit} for update of e skip locked`.execute(tx);
  return rows.map((row) => row.id);
}

/** Erases bodies, checking again under the lock that no redelivery was requested. */
export async function eraseBodies(tx: Tx, ids: readonly bigint[]): Promise<number> {
  const { rows } = await sql`
    update events e set body = null where e.id = any(${ids}::bigint[]) and ${NOTHING_PENDING} returning e.id`.execute(
    tx,
  );
  return rows.length;
}

export async function deleteStrayAttempts(tx: Tx, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from attempts_default where ctid = any(array(select ctid from attempts_default where at < ${before} limit ${limit}))
    returning 1`.execute(tx);
  return rows.length;
}
