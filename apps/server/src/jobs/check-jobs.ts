import { raiseRarely } from '../audit/raise-alarms.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Jobs } from './open-jobs.ts';

/** Interval of checks that pg-boss supports the job tables. */
export const CHECK_JOBS_MS = 5_000;
/** One alarm per kind of process while its jobs are off. */
const QUIET_MS = 86_400_000;

/** Switches jobs off or on to match the job tables, and raises an alarm while they are off. */
export async function checkJobs(
  { database, clock, jobs }: Context & { jobs: Jobs },
  processName: 'worker' | 'dashboard',
): Promise<void> {
  await jobs.ready();
  const fault = jobs.fault();
  if (!fault) return;
  const { version, known } = fault.details;
  const alarm = { kind: 'jobs-off', subject: processName, details: { version, known } } as const;
  await inTransaction(database, (tx) => raiseRarely(tx, new Date(clock.nowMs()), alarm, QUIET_MS));
}
