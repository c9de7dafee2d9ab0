import { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { Refusal } from '../lib/refusal.ts';
import { JOB_SCHEMA } from './job.ts';
import { runSqlOn } from './job-sql.ts';

/** The jobs of the database, as a process sends and runs them. */
export type Jobs = { boss: PgBoss; close: () => Promise<void> };

/**
 * Seconds between two searches for jobs whose worker is gone. The database keeps the time of the last search, so that
 * many workers search no more often than one.
 */
const SEARCH_SECONDS = 10;
/** Seconds between two removals of jobs that ended long ago, for all workers together. */
const REMOVAL_SECONDS = 3_600;

/**
 * Opens the jobs on the connections that the process has. pg-boss gets no timer but the one that reads the list of
 * queues again: workers fetch jobs and look after them in loops of their own, under the watchdog.
 */
export async function openJobs({ pool }: Database, log: Logger): Promise<Jobs> {
  const boss = new PgBoss({
    db: runSqlOn(pool),
    schema: JOB_SCHEMA,
    migrate: false,
    createSchema: false,
    supervise: false,
    schedule: false,
    // Both would read the whole server's statistics or rebuild indexes, which no role of a process may do.
    monitorVacuum: false,
    reindex: false,
    monitorIntervalSeconds: SEARCH_SECONDS,
    maintenanceIntervalSeconds: REMOVAL_SECONDS,
  });
  // An error event that nobody listens for would end the process.
  boss.on('error', (cause) => log.error({ err: cause }, 'the list of job queues could not be read'));
  boss.on('warning', ({ message }) => log.warn({ warning: message }, 'pg-boss warns'));
  if (!(await boss.isInstalled())) throw new Refusal('JOBS_NOT_INSTALLED');
  await boss.start();
  return { boss, close: () => boss.stop({ graceful: false, close: false }) };
}
