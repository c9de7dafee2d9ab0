import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/** Processes that open secrets, with the keys of each. Times are the database's. */

/** A process counts as dead after six missing reports. */
const LIVING_SECONDS = 60;
const FORGOTTEN_HOURS = 24;

export type RingHolder = {
  id: string;
  kind: string;
  host: string;
  pid: number;
  keyIds: readonly string[];
  fault: string | null;
};

/** Writes a process's keys, and forgets processes that have been dead for a day. */
export async function reportHolder(queries: Queries, holder: RingHolder): Promise<void> {
  const { id, kind, host, pid, keyIds, fault } = holder;
  await sql`
    with gone as (
      delete from key_ring_holders where seen_at < now() - make_interval(hours => ${FORGOTTEN_HOURS}::integer) and id <> ${id}
    )
    insert into key_ring_holders (id, kind, host, pid, key_ids, fault, seen_at)
    values (${id}, ${kind}, ${host}, ${pid}::integer, ${keyIds}::text[], ${fault}, now())
    on conflict (id) do update set key_ids = excluded.key_ids, fault = excluded.fault, seen_at = excluded.seen_at`.execute(
    queries,
  );
}

export async function forgetHolder(queries: Queries, id: string): Promise<void> {
  await queries.deleteFrom('key_ring_holders').where('id', '=', id).execute();
}

export async function readLivingHolders(queries: Queries): Promise<RingHolder[]> {
  const { rows } = await sql<RingHolder>`
    select id, kind, host, pid, key_ids as "keyIds", fault from key_ring_holders
    where seen_at > now() - make_interval(secs => ${LIVING_SECONDS}::integer) order by id`.execute(queries);
  return rows;
}

/**
 * Counts running workers, which share the quotas of exchange platforms. A killed one counts for another minute, in
 * which the others use less than they could. One whose report failed once still counts, or the others would use too
 * much.
 */
export async function countWorkers(queries: Queries): Promise<number> {
  const { rows } = await sql<{ workers: number }>`
    select count(*)::integer as workers from key_ring_holders
    where kind = 'worker' and seen_at > now() - make_interval(secs => ${LIVING_SECONDS}::integer)`.execute(queries);
  return rows[0]?.workers ?? 0;
}
