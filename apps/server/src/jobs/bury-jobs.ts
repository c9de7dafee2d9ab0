import { fromKysely } from 'pg-boss';
import { raiseRarely } from '../audit/raise-alarms.ts';
import type { Context } from '../db/context.ts';
import type { Tx } from '../db/transaction.ts';
import { afterCommit, inTransaction } from '../db/transaction.ts';
import type { JobHandlers } from './job-handler.ts';
import type { Job, JobName } from './job.ts';
import { DEAD_JOBS, JOB_NAMES } from './job.ts';
import { FAILED_JOBS } from './job-topic.ts';
import type { Jobs } from './open-jobs.ts';

const BATCH = 50;
/** One alarm per kind of job and hour: one cause, such as a server that is away, fails many. */
const QUIET_MS = 3_600_000;

const isJobName = (name: string | null | undefined): name is JobName => JOB_NAMES.includes(name as JobName);

function bury<Name extends JobName>(tx: Tx, handlers: JobHandlers, { name, data }: Job<Name>): Promise<void> {
  return handlers[name].bury(tx, data);
}

/** Lets handlers record failed jobs and raises an alarm, in one transaction; true when there may be more. */
export async function buryJobs(
  { database, clock, jobs }: Context & { jobs: Jobs },
  handlers: JobHandlers,
): Promise<boolean> {
  const boss = await jobs.ready();
  if (!boss) return false;
  const dead = await boss.fetch<Job['data']>(DEAD_JOBS, { batchSize: BATCH, includeMetadata: true });
  for (const job of dead) {
    const { data, sourceName: name, sourceOutput } = job;
    await inTransaction(database, async (tx) => {
      if (isJobName(name)) {
        await bury(tx, handlers, { name, data });
        afterCommit(tx, () => FAILED_JOBS.publish(name));
      }
      const details = { data, lastFault: sourceOutput };
      const alarm = { kind: 'job-failed', subject: String(name), details } as const;
      await raiseRarely(tx, new Date(clock.nowMs()), alarm, QUIET_MS);
      await boss.complete(DEAD_JOBS, job, null, { db: fromKysely(tx) });
    });
  }
  return dead.length === BATCH;
}
