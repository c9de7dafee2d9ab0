import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { JobFixture } from '../../rig/jobs/job-fixture.ts';
import {
  createHandler,
  endRests,
  NO_EXPORTS,
  openJobFixture,
  passMinute,
  readJobs,
  SILENT,
} from '../../rig/jobs/job-fixture.ts';
import { inTransaction } from '../db/transaction.ts';
import { createManualClock } from '../lib/clock.ts';
import { buryJobs } from './bury-jobs.ts';
import type { JobHandler, JobRun } from './job-handler.ts';
import { DEAD_JOBS, JOB_POLICIES } from './job.ts';
import { openJobs } from './open-jobs.ts';
import { runJobs } from './run-jobs.ts';
import { sendJob } from './send-job.ts';
import { superviseJobs } from './supervise-jobs.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const { retries, firstRestSeconds } = JOB_POLICIES['send-mail'];

let fixture: JobFixture;
beforeAll(async () => {
  fixture = await openJobFixture(inject('template'));
});
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.database.pool.query('delete from pgboss.job');
  await fixture.database.pool.query('delete from alarms');
});

const send = (mailId: string) =>
  inTransaction(fixture.as('worker'), (tx) => sendJob(tx, fixture.jobs, { name: 'send-mail', data: { mailId } }));

const run = (handler: { run: JobRun<'send-mail'> }) =>
  runJobs({ jobs: fixture.jobs, log: SILENT, signal: new AbortController().signal }, 'send-mail', handler.run);

const bury = (handler: JobHandler<'send-mail'>) =>
  buryJobs(
    { database: fixture.as('worker'), clock: createManualClock(NOW), jobs: fixture.jobs },
    { 'send-mail': handler, 'make-export': NO_EXPORTS },
  );

async function readAlarms(): Promise<unknown[]> {
  return (await fixture.database.pool.query('select kind, subject, details from alarms order by id')).rows;
}

describe('sending', () => {
  test('a job exists when its transaction commits, and is done once', async () => {
    await send('1');
    const handler = createHandler();
    expect(await run(handler)).toBe(false);
    await run(handler);
    expect(handler.runs).toEqual(['1']);
    expect(await readJobs(fixture)).toMatchObject([{ name: 'send-mail', state: 'completed' }]);
  });

  test('a transaction that is rolled back leaves no job', async () => {
    const work = inTransaction(fixture.as('worker'), async (tx) => {
      await sendJob(tx, fixture.jobs, { name: 'send-mail', data: { mailId: '2' } });
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await readJobs(fixture)).toEqual([]);
  });

  test('an operator may send jobs and do no more with them; the API may not even ask', async () => {
    const admin = await openJobs(fixture.as('admin'), SILENT);
    await inTransaction(fixture.as('admin'), (tx) => sendJob(tx, admin, { name: 'send-mail', data: { mailId: '3' } }));
    expect(await readJobs(fixture)).toMatchObject([{ data: { mailId: '3' } }]);
    const boss = await admin.ready();
    await expect(boss?.fetch('send-mail')).rejects.toMatchObject({ code: '42501' });
    await admin.close();
    await expect(openJobs(fixture.as('api'), SILENT)).rejects.toMatchObject({ code: '42501' });
  });
});

async function databaseNowMs(): Promise<number> {
  const { rows } = await fixture.database.pool.query<{ now: Date }>('select clock_timestamp() as now');
  return rows[0]?.now.getTime() ?? Number.NaN;
}

describe('a job that fails', () => {
  test('rests longer from try to try, and is done when it succeeds', async () => {
    await send('4');
    const handler = createHandler(3);
    for (const shortest of [1, 2, 4].map((factor) => factor * firstRestSeconds)) {
      const beforeMs = await databaseNowMs();
      await run(handler);
      const afterMs = await databaseNowMs();
      const [job] = await readJobs(fixture);
      expect(job).toMatchObject({ state: 'retry' });
      expect(job?.startAfter.getTime()).toBeGreaterThanOrEqual(beforeMs + shortest * 1_000);
      expect(job?.startAfter.getTime()).toBeLessThanOrEqual(afterMs + shortest * 2_000);
      await run(handler);
      await endRests(fixture);
    }
    await run(handler);
    expect(handler.runs).toHaveLength(4);
    expect(await readJobs(fixture)).toMatchObject([{ state: 'completed' }]);
  });

  test('is dead when its tries are used up: it is buried once, with an alarm', async () => {
    await send('5');
    const handler = createHandler(Infinity);
    for (let tries = 0; tries < retries + 3; tries += 1) {
      await run(handler);
      await endRests(fixture);
    }
    expect(handler.runs).toHaveLength(retries + 1);
    await bury(handler);
    await bury(handler);
    expect(handler.buried).toEqual(['5']);
    expect(await readAlarms()).toEqual([
      {
        kind: 'job-failed',
        subject: 'send-mail',
        details: { data: { mailId: '5' }, lastFault: { reason: 'not now' } },
      },
    ]);
    expect(await readJobs(fixture)).toMatchObject([
      { name: DEAD_JOBS, state: 'completed' },
      { name: 'send-mail', state: 'failed' },
    ]);
  });

  test('is not buried by half: without its end in the same commit nothing is told', async () => {
    await send('6');
    await fixture.database.pool.query(`update pgboss.job set retry_limit = 0`);
    await run(createHandler(Infinity));
    const broken = { ...createHandler(), bury: () => Promise.reject(new Error('no place')) };
    await expect(bury(broken)).rejects.toThrow('no place');
    expect(await readAlarms()).toEqual([]);
    expect(await readJobs(fixture)).toMatchObject([{ name: DEAD_JOBS, state: 'active' }, {}]);
  });
});

describe('a worker that is gone', () => {
  test('has its job taken away and done by another, and its late outcome changes nothing', async () => {
    await send('7');
    const other = createHandler();
    const silence = Promise.withResolvers<void>();
    const stuck = run({ run: () => silence.promise });
    await expect.poll(() => readJobs(fixture)).toMatchObject([{ state: 'active' }]);
    await superviseJobs(fixture.jobs);
    expect(await readJobs(fixture)).toMatchObject([{ state: 'active' }]);
    await passMinute(fixture);
    await superviseJobs(fixture.jobs);
    await endRests(fixture);
    await run(other);
    expect(other.runs).toEqual(['7']);
    silence.resolve();
    await stuck;
    expect(await readJobs(fixture)).toMatchObject([{ state: 'completed', retryCount: 1 }]);
  });

  test('is searched for by one worker at a time, however many look', async () => {
    const second = await openJobs(fixture.as('worker'), SILENT);
    const read = async () =>
      (await fixture.database.pool.query('select monitor_claim_on, maintain_on from pgboss.queue order by name')).rows;
    await superviseJobs(fixture.jobs);
    const before = await read();
    await Promise.all([superviseJobs(fixture.jobs), superviseJobs(second)]);
    expect(await read()).toEqual(before);
    await second.close();
  });
});
