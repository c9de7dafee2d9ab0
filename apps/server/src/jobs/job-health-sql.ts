import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { JobName } from './job.ts';
import { JOB_NAMES } from './job.ts';

export const COUNTED_UP_TO = 10_000;

type JobHealth = {
  kinds: { name: JobName; waiting: number; oldestDueSeconds: number }[];
  /** Jobs that a process with jobs off could not send. */
  unsent: number;
};

/** Waiting jobs by kind, and how long the oldest has been due; 0 when none is. */
export async function readJobHealth(queries: Queries): Promise<JobHealth> {
  const { rows: kinds } = await sql<JobHealth['kinds'][number]>`
    select k.name, count(j.start_after)::integer as waiting,
      coalesce(greatest(0, extract(epoch from now() - min(j.start_after))), 0)::float8 as "oldestDueSeconds"
    from unnest(${JOB_NAMES}::text[]) k (name) left join lateral (
      select start_after from pgboss.job_common where name = k.name and state < 'active' and not blocked
      limit ${COUNTED_UP_TO}) j on true
    group by k.name order by k.name`.execute(queries);
  const { rows } = await sql<{ unsent: number }>`
    select count(*)::integer as unsent from (select from waiting_jobs limit ${COUNTED_UP_TO}) w`.execute(queries);
  return { kinds, unsent: rows[0]?.unsent ?? 0 };
}
