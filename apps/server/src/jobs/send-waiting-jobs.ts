import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { JOB_NAMES } from './job.ts';
import type { Jobs } from './open-jobs.ts';
import { sendNow } from './send-job.ts';
import { takeWaitingJobs } from './waiting-job-sql.ts';

const BATCH = 50;

/** Sends jobs kept while jobs were off, each once; true when there may be more. */
export async function sendWaitingJobs({ database, jobs }: { database: Database; jobs: Jobs }): Promise<boolean> {
  if (!(await jobs.ready())) return false;
  return inTransaction(database, async (tx) => {
    const boss = await jobs.readyIn(tx);
    if (!boss) return false;
    const waiting = await takeWaitingJobs(tx, JOB_NAMES, BATCH);
    for (const { name, data, ...options } of waiting) await sendNow(tx, boss, { name, data }, options);
    return waiting.length === BATCH;
  });
}
