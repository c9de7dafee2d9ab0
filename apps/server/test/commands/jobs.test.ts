import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { CommandLine } from '../../rig/commands/command-line.ts';
import { openCommandLine } from '../../rig/commands/command-line.ts';
import { readJobs } from '../../rig/jobs/job-fixture.ts';
import type { MailFixture } from '../../rig/mail/mail-fixture.ts';
import { openMailFixture, queue, readMail, work } from '../../rig/mail/mail-fixture.ts';
import { JOB_SCHEMA_VERSION } from '../../src/jobs/job.ts';

/** `job list` and `job retry`: emails and exports that wait, run or failed. */

const MOST_RETRIED = 500;

let fixture: MailFixture;
let line: CommandLine;
beforeAll(async () => {
  fixture = await openMailFixture(inject('template'));
  line = openCommandLine(fixture);
});
afterAll(() => fixture.close());
beforeEach(async () => {
  for (const table of ['pgboss.job', 'waiting_jobs', 'mails', 'alarms', 'exports'])
    await fixture.database.pool.query(`delete from ${table}`);
  fixture.receiver.received.length = 0;
  fixture.receiver.setMood('take');
});

const list = (...words: string[]) => line.ask('job', 'list', ...words) as Promise<Record<string, unknown>[]>;
const setVersion = (version: number) =>
  fixture.database.pool.query('update pgboss.version set version = $1', [version]);

async function countRetries(): Promise<number> {
  const { rows } = await fixture.database.pool.query<{ count: number }>(
    `select count(*)::integer as count from audit_entries where action = 'job.retry'`,
  );
  return rows[0]?.count ?? 0;
}

/** Queues an email and lets its first attempt fail; the job waits for the next. */
async function failOnce(): Promise<bigint> {
  fixture.receiver.setMood('greylist');
  const { mailId } = await queue(fixture);
  await work(fixture);
  fixture.receiver.setMood('take');
  return mailId;
}

/** Queues an email that the mail server refuses permanently. */
async function failForGood(): Promise<bigint> {
  fixture.receiver.setMood('refuse');
  const { mailId } = await queue(fixture);
  await work(fixture);
  fixture.receiver.setMood('take');
  return mailId;
}

test('a job that waits for its next attempt is listed with its last error, and starts at once when retried', async () => {
  const mailId = await failOnce();
  const [waiting] = await list();
  expect(waiting).toMatchObject({
    queue: 'send-mail',
    mailId: String(mailId),
    failures: expect.any(Number) as number,
    most_failures: 14,
    last_error: expect.stringContaining('451') as string,
  });
  await work(fixture);
  expect(fixture.receiver.received).toHaveLength(0);
  const before = await countRetries();
  const job = String(waiting?.['job']);
  expect(await line.ask('job', 'retry', '--job', job)).toEqual({ job, started: 1 });
  await work(fixture);
  expect([fixture.receiver.received.length, (await readMail(fixture, mailId)).state]).toEqual([1, 'sent']);
  expect(await countRetries()).toBe(before + 1);
  expect(await line.refusal('job', 'retry', '--job', job)).toBe(
    'It is completed: neither failed nor waiting for its next attempt.',
  );
});

test('a job that waits for its first attempt is not brought forward', async () => {
  await queue(fixture);
  const [waiting] = await list();
  expect(await line.refusal('job', 'retry', '--job', String(waiting?.['job']))).toBe(
    'It is created: neither failed nor waiting for its next attempt.',
  );
});

test('a failed email is listed, and sent once however often it is retried', async () => {
  const mailId = await failForGood();
  expect(await list()).toEqual([]);
  expect(await list('--state', 'failed')).toMatchObject([
    { job: `mail:${mailId}`, queue: 'send-mail', template: 'mail-test', attempts: 1 },
  ]);
  const words = ['job', 'retry', '--job', `mail:${mailId}`];
  const outcomes = await Promise.allSettled([line.ask(...words), line.ask(...words), line.ask(...words)]);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await readJobs(fixture)).filter(({ state }) => state === 'created')).toHaveLength(1);
  await work(fixture);
  await work(fixture);
  expect(fixture.receiver.received).toHaveLength(1);
  expect((await readMail(fixture, mailId)).state).toBe('sent');
  expect(await line.refusal(...words)).toBe('It is sent: neither failed nor waiting for its next attempt.');
  await work(fixture);
  expect(fixture.receiver.received).toHaveLength(1);
});

test('a failed email whose job has not ended is not queued again', async () => {
  const mailId = await failForGood();
  await fixture.database.pool.query(`update pgboss.job set state = 'active', completed_on = null`);
  expect(await line.refusal('job', 'retry', '--job', `mail:${mailId}`)).toBe(
    'It is active: neither failed nor waiting for its next attempt.',
  );
  expect(await line.ask('job', 'retry', '--queue', 'send-mail')).toMatchObject({ queued: 0 });
  expect((await readMail(fixture, mailId)).state).toBe('failed');
});

test('a queue is retried as a whole, without emails that failed earlier or were sent', async () => {
  const waiting = await failOnce();
  const [old, failed] = [await failForGood(), await failForGood()];
  await fixture.database.pool.query(`update mails set decided_at = now() - interval '30 hours' where id = $1`, [old]);
  expect(await line.ask('job', 'retry', '--queue', 'send-mail')).toEqual({ queue: 'send-mail', started: 1, queued: 1 });
  await work(fixture);
  const states = await Promise.all([waiting, old, failed].map(async (id) => (await readMail(fixture, id)).state));
  expect(states).toEqual(['sent', 'failed', 'sent']);
  expect(await line.ask('job', 'retry', '--queue', 'send-mail', '--hours', '48')).toMatchObject({ queued: 1 });
  expect(await line.ask('job', 'retry', '--queue', 'make-export')).toEqual({ queue: 'make-export', started: 0 });
});

test('lists and retries are bounded', async () => {
  await queue(fixture);
  await fixture.database.pool.query(
    `insert into mails (template, language, to_address, data, state, created_at, decided_at)
     select 'mail-test', 'en', 'a@acme.test', '{}', 'failed', now(), now() from generate_series(1, ${MOST_RETRIED + 10})`,
  );
  expect(await list('--state', 'failed')).toHaveLength(200);
  expect(await line.ask('job', 'retry', '--queue', 'send-mail')).toMatchObject({ queued: MOST_RETRIED });
  expect(await line.ask('job', 'retry', '--queue', 'send-mail')).toMatchObject({ queued: 10 });
  expect(await list()).toHaveLength(200);
});

test('failed emails and exports are listed together, the newest first', async () => {
  const client = await fixture.database.pool.connect();
  await client.query('begin');
  await client.query('set local session_replication_role = replica');
  await client.query(
    `insert into mails (template, language, to_address, data, state, created_at, decided_at)
     select 'mail-test', 'en', 'a@acme.test', '{}', 'failed', now(), now() - interval '1 hour' from generate_series(1, 200)`,
  );
  await client.query(
    `insert into exports (code, merchant_account_id, person_id, requested_by, kind, store_ids, whole_merchant, to_at, state, slot,
       fault, created_at, done_at) values ('EXP-1', 1, 1, 'PER-1', 'invoices', '{1}', true, now(), 'failed', 1, 'x', now(), now())`,
  );
  await client.query('commit');
  client.release();
  const jobs = (await list('--state', 'failed')).map(({ job }) => job);
  expect([jobs[0], jobs.length]).toEqual(['export:EXP-1', 200]);
});

test('jobs that are kept while jobs are off are listed, and nothing is brought forward meanwhile', async () => {
  await failOnce();
  const mailId = await failForGood();
  await setVersion(JOB_SCHEMA_VERSION + 1);
  try {
    expect(await line.refusal('job', 'retry', '--queue', 'make-export')).toMatch(/^Jobs are off/);
    expect(await line.ask('job', 'retry', '--job', `mail:${mailId}`)).toMatchObject({ queued: 1 });
    expect(await list()).toContainEqual(
      expect.objectContaining({ job: 'kept until jobs are on again', mailId: String(mailId) }),
    );
  } finally {
    await setVersion(JOB_SCHEMA_VERSION);
  }
});

test('unknown jobs, failed exports and choices of both or neither are refused', async () => {
  const unknown = '00000000-0000-4000-8000-000000000000';
  expect(await line.refusal('job', 'retry', '--job', unknown)).toBe(`There is no job ${unknown}.`);
  await queue(fixture);
  expect(await line.refusal('job', 'retry', '--job', 'mail:999999999')).toBe('There is no job mail:999999999.');
  expect(await line.refusal('job', 'retry', '--job', 'export:EXP-1')).toMatch(/^A failed export is not repeated/);
  for (const words of [[], ['--job', unknown, '--queue', 'send-mail']])
    expect(await line.refusal('job', 'retry', ...words)).toBe('Give either --job or --queue.');
  expect(await line.refusal('job', 'retry', '--job', 'x')).toContain('--job: ');
});
