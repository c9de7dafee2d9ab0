import type { Database } from '../../src/db/database.ts';

/**
 * Counts statements with these words that wait for another client's lock. Waits for automatic maintenance are not
 * counted: they can affect any statement.
 */
export async function countWaits({ pool }: Pick<Database, 'pool'>, words = ''): Promise<number> {
  const { rows } = await pool.query<{ waits: number }>(
    `select count(*)::integer as waits from pg_stat_activity a
     where datname = current_database() and wait_event_type = 'Lock' and strpos(query, $1) > 0 and exists (
       select from pg_stat_activity b where b.pid = any(pg_blocking_pids(a.pid)) and b.backend_type = 'client backend')`,
    [words],
  );
  return rows[0]?.waits ?? 0;
}
