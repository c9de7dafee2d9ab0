import type pg from 'pg';
import type { Prepared } from '../db/database.ts';
import { runPrepared } from '../db/database.ts';

/** Uses of API keys by day. */

type KeyUse = { hash: Buffer; calls: number; lastUsedAt: Date };

/** Adds uses to their days. Keys are in order, to avoid deadlocks. */
export const ADD_KEY_USES_STATEMENT: Prepared = {
  name: 'add-key-uses',
  text: `
insert into api_key_days as d (key_id, store_id, day, calls, last_used_at)
select k.id, k.store_id, (u.last_used_at at time zone 'UTC')::date, u.calls, u.last_used_at
from unnest($1::bytea[], $2::bigint[], $3::timestamptz[]) as u (hash, calls, last_used_at)
  join api_keys k on k.hash = u.hash
order by k.id
on conflict (key_id, day) do update set
  calls = d.calls + excluded.calls, last_used_at = greatest(d.last_used_at, excluded.last_used_at)`,
};

export async function addKeyUses(pool: pg.Pool, uses: readonly KeyUse[]): Promise<void> {
  await runPrepared(pool, ADD_KEY_USES_STATEMENT, [
    uses.map(({ hash }) => hash),
    uses.map(({ calls }) => calls),
    uses.map(({ lastUsedAt }) => lastUsedAt),
  ]);
}

/** Deletes days before a time, oldest first; returns how many. */
export async function deleteKeyDays(pool: pg.Pool, before: Date, limit: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from api_key_days where (key_id, day) in (
       select key_id, day from api_key_days where day < ($1::timestamptz at time zone 'UTC')::date order by day limit $2
       for update skip locked)`,
    [before, limit],
  );
  return rowCount ?? 0;
}
