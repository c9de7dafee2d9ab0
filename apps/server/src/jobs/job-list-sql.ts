import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { JOB_NAMES } from './job.ts';

/** Jobs for operators, from pg-boss's tables and the table of unsent jobs. */

type ListedJobState = 'waiting' | 'active';

export type ListedJob = {
  /** Null while jobs are off. */
  job: string | null;
  queue: string;
  data: Record<string, string>;
  state: ListedJobState;
  /** Failed attempts. */
  failures: number;
  /** Most failed attempts. */
  mostFailures: number | null;
  createdAt: Date;
  /** Earliest start. */
  startAfter: Date;
  startedAt: Date | null;
  lastError: string | null;
};

const MAX_ERROR_CHARACTERS = 500;

/** Waiting or active jobs, in the order of their start. */
export async function listJobs(queries: Queries, state: ListedJobState, limit: number): Promise<ListedJob[]> {
  const isWaiting = state === 'waiting';
  const states = isWaiting ? ['created', 'retry'] : ['active'];
  const { rows } = await sql<ListedJob>`
    select * from (
      select j.id::text as job, j.name as queue, j.data, ${state}::text as state, j.retry_count as failures,
        j.retry_limit + 1 as "mostFailures", j.created_on as "createdAt", j.start_after as "startAfter",
        case when j.state = 'active' then j.started_on end as "startedAt",
        left(coalesce(j.output ->> 'reason', j.output -> 'value' ->> 'message'), ${MAX_ERROR_CHARACTERS}) as "lastError"
      from pgboss.job_common j
      where j.name = any(${JOB_NAMES}::text[]) and j.state = any(${states}::text[]::pgboss.job_state[])
      union all
      select null, w.name, w.data, 'waiting', 0, null, w.created_at, w.start_after, null, null
      from waiting_jobs w where ${isWaiting}) l
    order by l."startAfter", l."createdAt" limit ${limit}`.execute(queries);
  return rows;
}

/** Starts jobs that wait for their next attempt now; returns their ids. */
export async function hastenJobs(
  tx: Tx,
  { id, queue, limit }: { id: string | undefined; queue: string | undefined; limit: number },
): Promise<string[]> {
  const chosen = id === undefined ? sql`j.name = ${queue}` : sql`j.id = ${id}::uuid`;
  const { rows } = await sql<{ id: string }>`
    update pgboss.job_common set start_after = pgboss.job_now() where state = 'retry' and id = any(array(
      select j.id from pgboss.job_common j
      where ${chosen} and j.name = any(${JOB_NAMES}::text[]) and j.state = 'retry'
      order by j.start_after limit ${limit} for update skip locked))
    returning id::text as id`.execute(tx);
  return rows.map((row) => row.id);
}

/** A job's state in pg-boss's terms, if it exists. */
export async function findJobState(tx: Tx, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ state: string }>`
    select state::text as state from pgboss.job_common where id = ${id}::uuid and name = any(${JOB_NAMES}::text[])`.execute(
    tx,
  );
  return rows[0]?.state;
}
