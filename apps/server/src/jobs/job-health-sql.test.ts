import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { JobFixture } from '../../rig/jobs/job-fixture.ts';
import { openJobFixture, SILENT } from '../../rig/jobs/job-fixture.ts';
import { inTransaction } from '../db/transaction.ts';
import { readJobHealth } from './job-health-sql.ts';
import { runJobs } from './run-jobs.ts';
import { sendJob } from './send-job.ts';

let fixture: JobFixture;
beforeAll(async () => {
  fixture = await openJobFixture(inject('template'));
});
afterAll(() => fixture.close());

const read = () => readJobHealth(fixture.as('worker').queries);

test('jobs that wait are counted by kind with the age of the oldest, and those that are done or not due have none', async () => {
  const none = { waiting: 0, oldestDueSeconds: 0 };
  expect(await read()).toEqual({
    kinds: [
      { name: 'make-export', ...none },
      { name: 'send-mail', ...none },
    ],
    unsent: 0,
  });
  for (const mailId of ['1', '2'])
    await inTransaction(fixture.as('worker'), (tx) =>
      sendJob(tx, fixture.jobs, { name: 'send-mail', data: { mailId } }),
    );
  const { pool } = fixture.database;
  await pool.query(`update pgboss.job set start_after = now() - interval '1 hour' where data->>'mailId' = '1'`);
  await pool.query(`update pgboss.job set start_after = now() + interval '1 hour' where data->>'mailId' = '2'`);
  const [, mails] = (await read()).kinds;
  expect(mails?.waiting).toBe(2);
  expect(mails?.oldestDueSeconds).toBeGreaterThanOrEqual(3_600);

  const context = { jobs: fixture.jobs, log: SILENT, signal: new AbortController().signal };
  await runJobs(context, 'send-mail', async () => {});
  expect((await read()).kinds[1]).toEqual({ name: 'send-mail', waiting: 1, oldestDueSeconds: 0 });
});
