import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/** Ring holders: processes that open secrets, and the keys that each process has. All times are the database's. */

/** Seconds without a report after which a process counts as dead: six reports are missing then. */
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

/** Writes the keys of a ring holder, and forgets holders that have been dead for a day. */
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
 * Counts the workers that run now, which share the quotas of exchange platforms. A worker that was killed is counted
 * for a minute more; until then the other workers use less of a quota than they could. A worker whose report failed
 * once is still counted: otherwise the other workers would use too much of a quota.
 */
export async function countWorkers(queries: Queries): Promise<number> {
  const { rows } = await sql<{ workers: number }>`
    select count(*)::integer as workers from key_ring_holders
    where kind = 'worker' and seen_at > now() - make_interval(secs => ${LIVING_SECONDS}::integer)`.execute(queries);
  return rows[0]?.workers ?? 0;
}
