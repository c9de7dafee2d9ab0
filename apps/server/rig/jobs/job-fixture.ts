import { pino } from 'pino';
import type { JobHandler, JobRun } from '../../src/jobs/job-handler.ts';
import type { Jobs } from '../../src/jobs/open-jobs.ts';
import { openJobs } from '../../src/jobs/open-jobs.ts';
import type { Template } from '../database/template-database.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { openTestDatabase } from '../database/test-database.ts';

/** A database with its jobs, opened as a worker opens them. */

export type JobFixture = TestDatabase & { jobs: Jobs; close(): Promise<void> };

const CONNECTIONS = 6;

export const SILENT = pino({ level: 'silent' });

export async function openJobFixture(template: Template): Promise<JobFixture> {
  const own = await openTestDatabase(template, CONNECTIONS);
  const jobs = await openJobs(own.as('worker'), SILENT);
  const close = async () => {
    await jobs.close();
    await own.drop();
  };
  return { ...own, jobs, close };
}

export type JobRow = { name: string; state: string; data: unknown; retryCount: number; startAfter: Date };

export async function readJobs({ database }: Pick<TestDatabase, 'database'>): Promise<JobRow[]> {
  const { rows } = await database.pool.query<JobRow>(
    `select name, state::text, data, retry_count as "retryCount", start_after as "startAfter"
     from pgboss.job order by name, created_on`,
  );
  return rows;
}

/** Ends the pause of every job that waits for its next attempt. */
export async function endRests({ database }: Pick<TestDatabase, 'database'>): Promise<void> {
  await database.pool.query(`update pgboss.job set start_after = now() where state = 'retry'`);
}

/** Moves the signs of life of jobs under way, and the last search for lost jobs, a minute into the past. */
export async function passMinute({ database }: Pick<TestDatabase, 'database'>): Promise<void> {
  await database.pool.query(
    `update pgboss.job set heartbeat_on = heartbeat_on - interval '1 min', started_on = started_on - interval '1 min' where state = 'active'`,
  );
  await database.pool.query(`update pgboss.queue set monitor_claim_on = monitor_claim_on - interval '1 min'`);
}

/** The handler of a worker that is not set up for exports. */
export const NO_EXPORTS: JobHandler<'make-export'> = { run: undefined, bury: async () => {} };

type TestHandler = JobHandler<'send-mail'> & { run: JobRun<'send-mail'>; runs: string[]; buried: string[] };

/** A handler that records its jobs and fails a number of times first. */
export function createHandler(failures = 0): TestHandler {
  const runs: string[] = [];
  const buried: string[] = [];
  return {
    runs,
    buried,
    run: async ({ mailId }) => {
      runs.push(mailId);
      if (runs.length <= failures) throw new Error('not now');
    },
    bury: async (_tx, { mailId }) => void buried.push(mailId),
  };
}
