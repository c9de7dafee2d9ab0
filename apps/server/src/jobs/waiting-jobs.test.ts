import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { JobFixture } from '../../rig/jobs/job-fixture.ts';
import { createHandler, openJobFixture, readJobs, SILENT } from '../../rig/jobs/job-fixture.ts';
import { inTransaction } from '../db/transaction.ts';
import { createManualClock, systemClock } from '../lib/clock.ts';
import { checkJobs } from './check-jobs.ts';
import { JOB_SCHEMA_VERSION } from './job.ts';
import type { Jobs } from './open-jobs.ts';
import { openJobs } from './open-jobs.ts';
import { runJobs } from './run-jobs.ts';
import { sendJob } from './send-job.ts';
import { sendWaitingJobs } from './send-waiting-jobs.ts';

const DAY_MS = 86_400_000;
const MANY = 120;
const OTHER_VERSIONS = [JOB_SCHEMA_VERSION + 1, JOB_SCHEMA_VERSION - 1];

let fixture: JobFixture;
let opened: Jobs[] = [];
beforeAll(async () => {
  fixture = await openJobFixture(inject('template'));
});
afterAll(() => fixture.close());
beforeEach(() => fixture.database.pool.query('delete from pgboss.job; delete from waiting_jobs; delete from alarms'));
afterEach(async () => {
  await setVersion(JOB_SCHEMA_VERSION);
  for (const jobs of opened) await jobs.close();
  opened = [];
});

const setVersion = (version: number) =>
  fixture.database.pool.query('update pgboss.version set version = $1', [version]);

async function open(role: 'worker' | 'dashboard' | 'admin' = 'worker'): Promise<Jobs> {
  const jobs = await openJobs(fixture.as(role), SILENT);
  opened.push(jobs);
  return jobs;
}

const send = (jobs: Jobs, mailId: string, options?: { priority?: number; afterSeconds?: number }) =>
  inTransaction(fixture.as('worker'), (tx) => sendJob(tx, jobs, { name: 'send-mail', data: { mailId } }, options));

const sendWaiting = (jobs: Jobs) => sendWaitingJobs({ database: fixture.as('worker'), jobs });

async function readWaiting(): Promise<unknown[]> {
  const { rows } = await fixture.database.pool.query<{ mail: string }>(
    `select data ->> 'mailId' as mail from waiting_jobs order by id`,
  );
  return rows.map(({ mail }) => mail);
}

/** Sends waiting jobs until there are none. */
async function drain(taker: Jobs): Promise<void> {
  while ((await readWaiting()).length > 0) await sendWaiting(taker);
}

const readAlarms = async () =>
  (await fixture.database.pool.query('select kind, subject, details from alarms order by id')).rows as unknown[];

describe.each(OTHER_VERSIONS)('while the job tables have version %s', (version) => {
  test.each(['worker', 'dashboard', 'admin'] as const)(
    'jobs of the %s wait, and are sent once by a worker later',
    async (role) => {
      await setVersion(version);
      const jobs = await open(role);
      expect(jobs.fault()?.details).toEqual({ version, known: JOB_SCHEMA_VERSION });
      await inTransaction(fixture.as(role), (tx) => sendJob(tx, jobs, { name: 'send-mail', data: { mailId: '1' } }));
      expect([await readWaiting(), await readJobs(fixture)]).toEqual([['1'], []]);
      expect(await sendWaiting(await open())).toBe(false);
      expect(await readWaiting()).toEqual(['1']);
      await setVersion(JOB_SCHEMA_VERSION);
      await sendWaiting(await open());
      await sendWaiting(fixture.jobs);
      expect([await readWaiting(), await readJobs(fixture)]).toMatchObject([
        [],
        [{ data: { mailId: '1' }, state: 'created' }],
      ]);
    },
  );

  test('a process that runs already stops sending and doing jobs, and continues without a restart', async () => {
    const jobs = await open();
    await send(jobs, '1');
    await setVersion(version);
    await send(jobs, '2');
    const handler = createHandler();
    const run = () => runJobs({ jobs, log: SILENT, signal: new AbortController().signal }, 'send-mail', handler.run);
    expect(await run()).toBe(false);
    expect([handler.runs, jobs.fault()?.code, await readWaiting()]).toEqual([[], 'JOBS_OFF', ['2']]);
    await setVersion(JOB_SCHEMA_VERSION);
    await sendWaiting(jobs);
    await run();
    expect([handler.runs.toSorted(), jobs.fault(), await readWaiting()]).toEqual([['1', '2'], undefined, []]);
  });
});

test('a job of a transaction that fails does not wait', async () => {
  await setVersion(JOB_SCHEMA_VERSION + 1);
  const jobs = await open();
  const work = inTransaction(fixture.as('worker'), async (tx) => {
    await sendJob(tx, jobs, { name: 'send-mail', data: { mailId: '1' } });
    throw new Error('changed my mind');
  });
  await expect(work).rejects.toThrow('changed my mind');
  expect(await readWaiting()).toEqual([]);
});

test('a waiting job keeps its priority and the time before which it is not done', async () => {
  await setVersion(JOB_SCHEMA_VERSION + 1);
  const jobs = await open();
  await send(jobs, '1', { priority: 7, afterSeconds: 3_600 });
  const { rows: kept } = await fixture.database.pool.query('select start_after from waiting_jobs');
  await setVersion(JOB_SCHEMA_VERSION);
  await sendWaiting(jobs);
  const { rows } = await fixture.database.pool.query('select priority, start_after from pgboss.job');
  expect(rows).toEqual([{ priority: 7, ...kept[0] }]);
});

test('two workers that take waiting jobs at once send each of them once', async () => {
  await setVersion(JOB_SCHEMA_VERSION + 1);
  const jobs = await open();
  const all = Array.from({ length: MANY }, (_, index) => String(index + 1));
  for (const mailId of all) await send(jobs, mailId);
  await setVersion(JOB_SCHEMA_VERSION);
  await Promise.all([drain(await open()), drain(fixture.jobs)]);
  const sent = (await readJobs(fixture)).map(({ data }) => (data as { mailId: string }).mailId);
  expect(
    sent
      .map(Number)
      .toSorted((one, other) => one - other)
      .map(String),
  ).toEqual(all);
});

test('a waiting job of a kind that a worker does not know waits for one that does', async () => {
  await fixture.database.pool.query(
    `insert into waiting_jobs (name, data, priority, start_after) values ('of-tomorrow', '{}', 0, now())`,
  );
  expect(await sendWaiting(fixture.jobs)).toBe(false);
  expect([await readJobs(fixture), (await readWaiting()).length]).toEqual([[], 1]);
});

test.each(['worker', 'dashboard'] as const)('a %s whose jobs are off raises one alarm a day', async (name) => {
  const clock = createManualClock(systemClock.nowMs());
  const jobs = await open(name);
  const check = () => checkJobs({ database: fixture.as(name), clock, jobs }, name);
  await check();
  expect(await readAlarms()).toEqual([]);
  await setVersion(JOB_SCHEMA_VERSION + 1);
  await check();
  clock.advance(DAY_MS - 1);
  await check();
  const details = { version: JOB_SCHEMA_VERSION + 1, known: JOB_SCHEMA_VERSION };
  expect(await readAlarms()).toEqual([{ kind: 'jobs-off', subject: name, details }]);
  clock.advance(1);
  await check();
  expect(await readAlarms()).toHaveLength(2);
});
