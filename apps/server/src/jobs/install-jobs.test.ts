import pg from 'pg';
import { getRollbackPlans } from 'pg-boss';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { JobFixture } from '../../rig/jobs/job-fixture.ts';
import { openJobFixture, SILENT } from '../../rig/jobs/job-fixture.ts';
import { installJobs } from './install-jobs.ts';
import { DEAD_JOBS, JOB_NAMES, JOB_SCHEMA, JOB_SCHEMA_VERSION } from './job.ts';
import { openJobs } from './open-jobs.ts';

let fixture: JobFixture;
beforeAll(async () => {
  fixture = await openJobFixture(inject('template'));
});
afterAll(() => fixture.close());

async function asOwner(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: fixture.url });
  await client.connect();
  try {
    await client.query('set role counterfoil_owner');
    await work(client);
  } finally {
    await client.end();
  }
}

test('every kind of job has a queue whose dead jobs are told about, and nothing else has one', async () => {
  const queues = (await (await fixture.jobs.ready())?.getQueues()) ?? [];
  expect(new Map(queues.map(({ name, deadLetter }) => [name, deadLetter]))).toEqual(
    new Map([[DEAD_JOBS, null], ...JOB_NAMES.map((name) => [name, DEAD_JOBS] as const)]),
  );
});

test('installing brings an older schema and changed queues up to date, by several processes at once', async () => {
  await asOwner(async (client) => {
    await client.query(getRollbackPlans(JOB_SCHEMA, JOB_SCHEMA_VERSION));
    await client.query(`update pgboss.queue set retry_limit = 1`);
  });
  const jobs = await openJobs(fixture.as('worker'), SILENT);
  expect(jobs.fault()?.details).toEqual({ version: JOB_SCHEMA_VERSION - 1, known: JOB_SCHEMA_VERSION });
  await Promise.all([asOwner(installJobs), asOwner(installJobs)]);
  expect((await (await jobs.ready())?.getQueue('send-mail'))?.retryLimit).toBeGreaterThan(1);
  await jobs.close();
});

test('job tables of a newer pg-boss are left alone by the installation of an older one, which says so', async () => {
  const read = async () =>
    (await fixture.database.pool.query('select v.version, q.* from pgboss.version v, pgboss.queue q order by q.name'))
      .rows;
  await asOwner((client) => client.query('update pgboss.version set version = version + 1'));
  await asOwner((client) => client.query('update pgboss.queue set retry_limit = 7'));
  const before = await read();
  const client = new pg.Client({ connectionString: fixture.url });
  await client.connect();
  try {
    await client.query('set role counterfoil_owner');
    expect(await installJobs(client)).toBe(false);
  } finally {
    await client.end();
  }
  expect(await read()).toEqual(before);
  await asOwner((owner) => owner.query('update pgboss.version set version = version - 1'));
  await asOwner(installJobs);
});

test('a process does not start without the tables of jobs, and says what to do', async () => {
  await asOwner((client) => client.query('drop schema pgboss cascade'));
  await expect(openJobs(fixture.as('worker'), SILENT)).rejects.toMatchObject({ code: 'JOBS_NOT_INSTALLED' });
});
