import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { JOB_SCHEMA_VERSION } from './job.ts';
import type { JobName } from './job.ts';
import { findJobState, hastenJobs } from './job-list-sql.ts';
import { readJobVersionIn } from './job-sql.ts';

export const MOST_RETRIED = 500;

/** Starts waiting jobs now, one or those of a queue; returns how many. Running jobs are left alone. */
export async function retryJobs(
  { database, clock }: Context,
  actor: Operator,
  chosen: { id: string } | { queue: JobName },
): Promise<number> {
  const [id, queue] = 'id' in chosen ? [chosen.id, undefined] : [undefined, chosen.queue];
  return inTransaction(database, async (tx) => {
    const version = await readJobVersionIn(tx);
    if (version !== undefined && version !== JOB_SCHEMA_VERSION)
      throw new Refusal('JOBS_OFF', { version, known: JOB_SCHEMA_VERSION });
    const ids = await hastenJobs(tx, { id, queue, limit: MOST_RETRIED });
    if (id !== undefined && ids.length === 0) {
      const state = await findJobState(tx, id);
      throw state === undefined ? new Refusal('JOB_UNKNOWN', { job: id }) : new Refusal('JOB_NOT_WAITING', { state });
    }
    if (ids.length > 0) {
      const subject = id === undefined ? `queue:${queue}` : `job:${id}`;
      await recordAudit(tx, clock, actor, { action: 'job.retry', subject, details: { jobs: ids } });
    }
    return ids.length;
  });
}
