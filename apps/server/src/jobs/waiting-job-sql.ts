import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';
import type { Job, JobName } from './job.ts';

type NewWaitingJob = Job & { priority: number; afterSeconds: number };

/** A job that a process could not send. */
type WaitingJob<Name extends JobName = JobName> = Job<Name> & { priority: number; startAfter: Date };

export async function insertWaitingJob(tx: Tx, { name, data, priority, afterSeconds }: NewWaitingJob): Promise<void> {
  await sql`
    insert into waiting_jobs (name, data, priority, start_after)
    values (${name}, ${JSON.stringify(data)}, ${priority}, now() + make_interval(secs => ${afterSeconds}::integer))`.execute(
    tx,
  );
}

/** Removes and returns the oldest waiting jobs of these kinds, to be sent in the same transaction. */
export async function takeWaitingJobs(tx: Tx, names: readonly JobName[], limit: number): Promise<WaitingJob[]> {
  const { rows } = await sql<WaitingJob & { id: bigint }>`
    delete from waiting_jobs where id = any(array(
      select id from waiting_jobs where name = any(${names}::text[]) order by id limit ${limit}))
    returning id, name, data, priority, start_after as "startAfter"`.execute(tx);
  return rows
    .toSorted((one, other) => Number(one.id - other.id))
    .map(({ name, data, priority, startAfter }) => ({ name, data, priority, startAfter }));
}
