import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { roleUrl } from '../../rig/database/role-database.ts';
import { NO_PRICES } from '../../rig/fakes/price-servers.ts';
import { endRests, passMinute, readJobs } from '../../rig/jobs/job-fixture.ts';
import type { MailFixture } from '../../rig/mail/mail-fixture.ts';
import { DASHBOARD_URL, openMailFixture, queue, READER, readMail } from '../../rig/mail/mail-fixture.ts';
import type { WorkerProcess } from '../../rig/processes/server-process.ts';
import { startWorker } from '../../rig/processes/server-process.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { confirmMailSetup } from '../../src/mail/confirm-mail-setup.ts';
import { runProgram } from '../../rig/processes/run-program.ts';

const SOON = { timeout: 60_000, interval: 50 };

let fixture: MailFixture;
let workers: WorkerProcess[] = [];
beforeAll(async () => {
  fixture = await openMailFixture(inject('template'));
});
afterAll(() => fixture.close());
beforeEach(async () => {
  for (const table of ['pgboss.job', 'mails', 'alarms']) await fixture.database.pool.query(`delete from ${table}`);
  fixture.receiver.received.length = 0;
  fixture.receiver.setMood('take');
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
});

const mailSettings = () => ({
  COUNTERFOIL_MAIL_URL: fixture.receiver.url,
  COUNTERFOIL_MAIL_FROM: 'Counterfoil <no-reply@counterfoil.example>',
  COUNTERFOIL_DASHBOARD_URL: DASHBOARD_URL,
  NODE_EXTRA_CA_CERTS: fixture.certificate.path,
});

async function start(settings: Record<string, string> = mailSettings()): Promise<WorkerProcess> {
  const worker = await startWorker(fixture.url, { ...NO_PRICES, ...settings });
  workers.push(worker);
  return worker;
}

const stateOf = async (mailId: bigint) => (await readMail(fixture, mailId)).state;

/** Waits until the receiver got the recipient of an email that a worker is sending. */
async function whileSending(): Promise<bigint> {
  const before = fixture.receiver.asked();
  fixture.receiver.setMood('hang');
  const { mailId } = await queue(fixture);
  await expect.poll(() => fixture.receiver.asked(), SOON).toBe(before + 1);
  return mailId;
}

describe('a worker', () => {
  test('that is killed while it sends a mail is made good by another, within a bounded time', async () => {
    const killed = await start();
    const mailId = await whileSending();
    killed.child.kill('SIGKILL');
    await once(killed.child, 'exit');
    await passMinute(fixture);
    fixture.receiver.setMood('take');
    await start();
    const stateWithoutRest = async () => {
      await endRests(fixture);
      return stateOf(mailId);
    };
    await expect.poll(stateWithoutRest, SOON).toBe('sent');
    await expect.poll(() => readJobs(fixture), SOON).toMatchObject([{ state: 'completed', retryCount: 1 }]);
    expect(fixture.receiver.received).toMatchObject([{ to: [READER.shown], encrypted: true }]);
  });

  test('that is told to stop while a mail server says nothing gives the job back and ends in order', async () => {
    const worker = await start({ ...mailSettings(), COUNTERFOIL_CLOCK_PACE: `40@${systemClock.nowMs()}` });
    await whileSending();
    worker.child.kill('SIGTERM');
    expect(await once(worker.child, 'exit')).toEqual([0, null]);
    expect(await readJobs(fixture)).toMatchObject([{ state: 'retry' }]);
  });

  test('whose connections are cut goes on with jobs when the database is back', async () => {
    const worker = await start();
    await fixture.database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'counterfoil-worker'`,
    );
    const { mailId } = await queue(fixture);
    await expect.poll(() => stateOf(mailId), SOON).toBe('sent');
    expect(worker.child.exitCode).toBeNull();
    expect(await worker.stop()).toBe(0);
  });

  test('without a mail server leaves mails to workers that have one', async () => {
    const { mailId } = await queue(fixture);
    const without = await start({});
    await expect.poll(() => without.output(), SOON).toContain('sends no emails');
    await start();
    await expect.poll(() => stateOf(mailId), SOON).toBe('sent');
    await expect.poll(() => readJobs(fixture), SOON).toMatchObject([{ state: 'completed', retryCount: 0 }]);
  });
});

function runTest(
  settings: Record<string, string>,
  ...words: string[]
): Promise<{ code: number; out: string; error: string }> {
  return runProgram('cli', ['mail', 'test', ...words], {
    COUNTERFOIL_ENVIRONMENT: 'development',
    COUNTERFOIL_DATABASE_URL: roleUrl(fixture.url, 'admin'),
    ...settings,
  });
}

const answerOf = ({ code, out, error }: Awaited<ReturnType<typeof runTest>>): unknown => {
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return JSON.parse(out);
};

describe('counterfoil-admin mail test', () => {
  test('says that the mail server took the mail, when it did', async () => {
    await start();
    const answer = answerOf(await runTest(mailSettings(), '--to', READER.shown, '--language', 'zh', '--json'));
    expect(answer).toMatchObject({ state: 'sent', attempts: 1, note: 'The mail server accepted it.' });
    expect(fixture.receiver.received).toMatchObject([{ to: [READER.shown] }]);
    const { rows } = await fixture.database.pool.query(`select details from audit_entries where action = 'mail.test'`);
    expect(rows).toEqual([{ details: { to: READER.shown, state: 'queued' } }]);
  });

  test('says that the mail is only queued while no worker sends it', async () => {
    await confirmMailSetup({ database: fixture.database, clock: systemClock });
    const answer = answerOf(await runTest(mailSettings(), '--to', READER.shown, '--wait', '0', '--json'));
    expect(answer).toMatchObject({
      state: 'queued',
      attempts: 0,
      note: expect.stringContaining('No worker') as string,
    });
  });

  test('has the mail sent by a worker, although no mail server is configured for the command', async () => {
    await start();
    const answer = answerOf(await runTest({}, '--to', READER.shown, '--json'));
    expect(answer).toMatchObject({ state: 'sent', attempts: 1 });
  });

  test('says that nothing was sent where no process with a mail server has run', async () => {
    await fixture.database.pool.query('delete from mail_setup');
    const answer = answerOf(await runTest({}, '--to', READER.shown, '--json'));
    expect(answer).toMatchObject({ state: 'unsent', note: expect.stringContaining('COUNTERFOIL_MAIL_URL') as string });
    expect(await readJobs(fixture)).toEqual([]);
  });

  test('takes one plain address only', async () => {
    expect(await runTest(mailSettings(), '--to', 'bob@acme.example\nBcc: eve@evil.example')).toEqual({
      code: 1,
      out: '',
      error: '"bob@acme.example\\nBcc: eve@evil.example" is not a valid email address.\n',
    });
  });
});
