import type { PgBoss } from 'pg-boss';
import { fromKysely } from 'pg-boss';
import type { Tx } from '../db/transaction.ts';
import type { Job, JobName } from './job.ts';
import type { Jobs } from './open-jobs.ts';
import { insertWaitingJob } from './waiting-job-sql.ts';

type SendOptions = {
  priority: number;
  /** Seconds to wait, or the earliest time. */
  startAfter: number | Date;
};

export async function sendNow(tx: Tx, boss: PgBoss, { name, data }: Job, options: SendOptions): Promise<void> {
  const id = await boss.send(name, data, { ...options, db: fromKysely(tx) });
  if (id === null) throw new Error(`The job ${name} was not taken.`);
}

/**
 * Sends a job in the caller's transaction, before the audit entry. Higher priorities run first. While jobs are off it
 * is kept in our own table, from which a worker with jobs on sends it.
 */
export async function sendJob<Name extends JobName>(
  tx: Tx,
  jobs: Jobs,
  job: Job<Name>,
  { priority = 0, afterSeconds = 0 }: { priority?: number; afterSeconds?: number } = {},
): Promise<void> {
  const boss = await jobs.readyIn(tx);
  if (boss) await sendNow(tx, boss, job, { priority, startAfter: afterSeconds });
  else await insertWaitingJob(tx, { ...job, priority, afterSeconds });
}
