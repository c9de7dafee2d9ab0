import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { endRests, readJobs } from '../../rig/jobs/job-fixture.ts';
import type { MailFixture } from '../../rig/mail/mail-fixture.ts';
import {
  addressOf,
  DASHBOARD_URL,
  gatherersWith,
  openMailFixture,
  queue,
  READER,
  readMail,
  serverOf,
  work,
} from '../../rig/mail/mail-fixture.ts';
import { makeMailCertificate } from '../../rig/mail/mail-certificate.ts';
import { startSmtpReceiver } from '../../rig/mail/smtp-receiver.ts';
import { inTransaction } from '../db/transaction.ts';
import type { ProcessRole } from '../db/role.ts';
import { sendJob } from '../jobs/send-job.ts';
import { createManualClock } from '../lib/clock.ts';
import { confirmMailSetup } from './confirm-mail-setup.ts';
import { isMailSetUp } from './mail-setup.ts';
import { queueMail } from './queue-mail.ts';

const DAY_MS = 86_400_000;

let fixture: MailFixture;
beforeAll(async () => {
  fixture = await openMailFixture(inject('template'));
});
afterAll(() => fixture.close());
beforeEach(async () => {
  for (const table of ['pgboss.job', 'mails', 'alarms']) await fixture.database.pool.query(`delete from ${table}`);
  fixture.receiver.received.length = 0;
  fixture.receiver.setMood('take');
});

async function readAlarms(): Promise<unknown[]> {
  return (await fixture.database.pool.query('select kind, subject from alarms order by id')).rows;
}

describe('a queued mail', () => {
  test('is delivered once, encrypted, with both parts and as nothing that answers itself', async () => {
    const { mailId, state } = await queue(fixture);
    expect(state).toBe('queued');
    await work(fixture);
    await work(fixture);
    expect(await readMail(fixture, mailId)).toMatchObject({ state: 'sent', attempts: 1, lastError: null });
    const [mail, ...more] = fixture.receiver.received;
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ from: 'no-reply@counterfoil.example', to: [READER.shown], encrypted: true });
    expect(mail?.source).toMatch(/^From: Counterfoil <no-reply@counterfoil\.example>\r$/m);
    expect(mail?.source).toMatch(/^To: reader@acme\.example\r$/m);
    expect(mail?.source).toMatch(/^Subject: Email from Counterfoil works\r$/m);
    expect(mail?.source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(mail?.source).toMatch(/^Content-Type: multipart\/alternative;/m);
    expect(mail?.source).toMatch(/^Content-Type: text\/plain; charset=utf-8\r$/m);
    expect(mail?.source).toMatch(/^Content-Type: text\/html; charset=utf-8\r$/m);
    expect(mail?.source).not.toMatch(/^X-Mailer/m);
  });

  test('is not sent again when its job runs a second time', async () => {
    const { mailId } = await queue(fixture);
    await work(fixture);
    await inTransaction(fixture.as('worker'), (tx) =>
      sendJob(tx, fixture.jobs, { name: 'send-mail', data: { mailId: String(mailId) } }),
    );
    await work(fixture);
    expect((await readJobs(fixture)).map(({ state }) => state)).toEqual(['completed', 'completed']);
    expect(fixture.receiver.received).toHaveLength(1);
    expect(await readMail(fixture, mailId)).toMatchObject({ state: 'sent', attempts: 1 });
  });

  test('is written in its language, with the facts of the moment of sending, which are stored nowhere', async () => {
    const link = `${DASHBOARD_URL}/verify?token=drawn-when-sending`;
    const { mailId } = await queue(fixture, { template: 'verify-address', language: 'es', data: { person: 'P-1' } });
    const asked: unknown[] = [];
    const gatherers = gatherersWith({
      'verify-address': async (_context, data) => {
        asked.push(data);
        return { link, expiresAt: new Date('2026-11-17T12:00:00Z') };
      },
    });
    await work(fixture, { gatherers });
    expect(asked).toEqual([{ person: 'P-1' }]);
    expect(fixture.receiver.received[0]?.source).toContain('Confirmar');
    const { rows } = await fixture.database.pool.query<{ stored: string }>(
      `select (select string_agg(m::text, '') from mails m) || (select string_agg(j::text, '') from pgboss.job j) as stored`,
    );
    expect(rows[0]?.stored).not.toContain('drawn-when-sending');
    expect(await readMail(fixture, mailId)).toMatchObject({ state: 'sent', data: { person: 'P-1' } });
  });

  test('is dropped when nobody wants it any more', async () => {
    const { mailId } = await queue(fixture, { template: 'invitation', data: { invitation: 'I-1' } });
    await work(fixture);
    expect(await readMail(fixture, mailId)).toMatchObject({ state: 'dropped', attempts: 0 });
    expect(fixture.receiver.received).toEqual([]);
  });

  test('of a template or language that this version does not know waits for a worker that does', async () => {
    const { mailId } = await queue(fixture);
    await fixture.database.pool.query(`update mails set template = 'of-tomorrow'`);
    await work(fixture);
    expect(await readMail(fixture, mailId)).toMatchObject({ state: 'queued', attempts: 0 });
    expect(await readJobs(fixture)).toMatchObject([{ state: 'retry' }]);
  });

  test('goes nowhere when its transaction is rolled back: there is neither a row nor a job', async () => {
    const { clock, jobs } = fixture;
    await confirmMailSetup({ database: fixture.as('worker'), clock });
    const rolledBack = inTransaction(fixture.as('worker'), async (tx) => {
      await queueMail(tx, { clock, jobs }, { template: 'mail-test', language: 'en', to: READER, data: {} });
      throw new Error('changed my mind');
    });
    await expect(rolledBack).rejects.toThrow('changed my mind');
    const { rows } = await fixture.database.pool.query('select from mails');
    expect([rows.length, await readJobs(fixture)]).toEqual([0, []]);
  });

  test.each([[{ link: 'https://evil.example' }], [{ note: 'two words' }], [{ mail: 'bob@acme.example' }]])(
    'holds ids only: %j is refused',
    async (data) => {
      await expect(queue(fixture, { data: data as unknown as Record<string, string> })).rejects.toThrow(
        'more than ids',
      );
    },
  );
});

/** Queues an email in a role, like a process without a mail server. */
const queueAs = (role: ProcessRole) =>
  inTransaction(fixture.as(role), (tx) =>
    queueMail(tx, fixture, { template: 'mail-test', language: 'en', to: READER, data: {} }),
  );

describe('without a mail server', () => {
  test('a mail is unsent at once, and nothing is queued', async () => {
    await fixture.database.pool.query('delete from mail_setup');
    const { mailId, state } = await queueAs('worker');
    expect(state).toBe('unsent');
    expect(await readMail(fixture, mailId)).toMatchObject({ state: 'unsent', attempts: 0 });
    expect(await readJobs(fixture)).toEqual([]);
  });

  test.each(['worker', 'dashboard', 'admin'] as const)(
    'a mail of the %s is queued, and sent by a process that has one',
    async (role) => {
      await confirmMailSetup({ database: fixture.as('worker'), clock: fixture.clock });
      const { mailId, state } = await queueAs(role);
      expect(state).toBe('queued');
      await work(fixture);
      expect(await readMail(fixture, mailId)).toMatchObject({ state: 'sent' });
    },
  );

  test('a mail is queued for seven days after a process that has one ran, and unsent later', async () => {
    const clock = createManualClock(fixture.clock.nowMs());
    const queueNow = async () =>
      (
        await inTransaction(fixture.as('worker'), (tx) =>
          queueMail(tx, { ...fixture, clock }, { template: 'mail-test', language: 'en', to: READER, data: {} }),
        )
      ).state;
    await fixture.database.pool.query('delete from mail_setup');
    await confirmMailSetup({ database: fixture.as('dashboard'), clock });
    clock.advance(7 * DAY_MS - 1);
    expect(await queueNow()).toBe('queued');
    clock.advance(1);
    expect(await queueNow()).toBe('unsent');
  });

  test('a process whose clock is behind does not shorten the time for which email is set up', async () => {
    const database = fixture.as('worker');
    const clock = createManualClock(fixture.clock.nowMs());
    await fixture.database.pool.query('delete from mail_setup');
    await confirmMailSetup({ database, clock });
    await confirmMailSetup({ database, clock: createManualClock(clock.nowMs() - 6 * DAY_MS) });
    clock.advance(6 * DAY_MS);
    expect(await isMailSetUp(database.queries, clock)).toBe(true);
  });
});

describe('a mail server', () => {
  test('that says "later" is asked again, and takes the mail', async () => {
    const { mailId } = await queue(fixture);
    fixture.receiver.setMood('greylist');
    await work(fixture);
    expect(await readMail(fixture, mailId)).toMatchObject({
      state: 'queued',
      attempts: 1,
      lastError: expect.stringContaining('451') as string,
    });
    fixture.receiver.setMood('take');
    await endRests(fixture);
    await work(fixture);
    expect(await readMail(fixture, mailId)).toMatchObject({ state: 'sent', attempts: 2 });
    expect(fixture.receiver.received).toHaveLength(1);
    expect(await readAlarms()).toEqual([]);
  });

  test('that refuses for good ends the mail as failed, with one alarm for many', async () => {
    fixture.receiver.setMood('refuse');
    const { mailId } = await queue(fixture);
    await queue(fixture, { to: addressOf('other@acme.example') });
    await work(fixture);
    await endRests(fixture);
    fixture.receiver.setMood('take');
    await work(fixture);
    expect(await readMail(fixture, mailId)).toMatchObject({
      state: 'failed',
      attempts: 1,
      lastError: expect.stringContaining('550') as string,
    });
    expect(fixture.receiver.received).toEqual([]);
    expect(await readAlarms()).toContainEqual({ kind: 'mail-refused', subject: '550' });
    expect((await readJobs(fixture)).map(({ state }) => state)).toEqual(['completed', 'completed']);
  });

  test('that is down gets the mail when it is up again; from the third attempt on an operator is told', async () => {
    const { mailId } = await queue(fixture);
    await fixture.receiver.stop();
    for (const alarms of [0, 0, 1, 1]) {
      await work(fixture);
      await endRests(fixture);
      expect(await readAlarms()).toHaveLength(alarms);
    }
    expect(await readAlarms()).toEqual([{ kind: 'mail-server-unusable', subject: 'connection' }]);
    await fixture.receiver.start();
    await work(fixture);
    expect(await readMail(fixture, mailId)).toMatchObject({ state: 'sent', attempts: 5 });
    expect(fixture.receiver.received).toHaveLength(1);
  });

  test('that is encrypted from the first byte is spoken to so, and never in clear', async () => {
    const { mailId } = await queue(fixture);
    const receiver = await startSmtpReceiver({ certificate: fixture.certificate, implicit: true });
    const server = serverOf({ receiver }, { encryption: 'implicit' });
    await work(fixture, { server: serverOf(fixture, { encryption: 'implicit' }) });
    expect([await readMail(fixture, mailId), fixture.receiver.received]).toMatchObject([{ state: 'queued' }, []]);
    await endRests(fixture);
    await work(fixture, { server, authorities: undefined });
    expect([await readMail(fixture, mailId), receiver.received]).toMatchObject([{ state: 'queued' }, []]);
    await endRests(fixture);
    await work(fixture, { server });
    expect([await readMail(fixture, mailId), receiver.received]).toMatchObject([
      { state: 'sent' },
      [{ encrypted: true }],
    ]);
    await receiver.stop();
  });

  test('that hangs up in the middle is asked again', async () => {
    const { mailId } = await queue(fixture);
    fixture.receiver.setMood('hang up');
    await work(fixture);
    expect(await readMail(fixture, mailId)).toMatchObject({ state: 'queued', attempts: 1 });
    fixture.receiver.setMood('take');
    await endRests(fixture);
    await work(fixture);
    expect(fixture.receiver.received).toHaveLength(1);
  });

  test('that never takes a mail has it failed when the tries are used up, and somebody told', async () => {
    const { mailId } = await queue(fixture);
    await fixture.database.pool.query('update pgboss.job set retry_limit = 1');
    fixture.receiver.setMood('greylist');
    for (let tries = 0; tries < 3; tries += 1) {
      await work(fixture);
      await endRests(fixture);
    }
    expect(await readMail(fixture, mailId)).toMatchObject({ state: 'failed', attempts: 2 });
    expect(await readAlarms()).toEqual([{ kind: 'job-failed', subject: 'send-mail' }]);
  });
});

/** Expects that the email was not sent, will be retried, and raised an alarm. */
async function expectKept(mailId: bigint, subject: string): Promise<void> {
  expect(fixture.receiver.received).toEqual([]);
  expect(await readMail(fixture, mailId)).toMatchObject({ state: 'queued', attempts: 1 });
  expect(await readAlarms()).toEqual([{ kind: 'mail-server-unusable', subject }]);
  expect(await readJobs(fixture)).toMatchObject([{ state: 'retry' }]);
}

describe('a mail server that is not to be trusted', () => {
  test('is not used when nobody vouches for its certificate', async () => {
    const { mailId } = await queue(fixture);
    await work(fixture, { authorities: undefined });
    await expectKept(mailId, 'encryption');
  });

  test('is not used when its certificate is of another host', async () => {
    const { mailId } = await queue(fixture);
    const other = await makeMailCertificate('mail.elsewhere.example');
    const receiver = await startSmtpReceiver({ certificate: other });
    await work(fixture, { server: serverOf({ receiver }), authorities: other.certificate });
    expect(receiver.received).toEqual([]);
    await expectKept(mailId, 'encryption');
    await receiver.stop();
    await other.remove();
  });

  test('gets nothing in clear when its encryption was stripped', async () => {
    const { mailId } = await queue(fixture);
    const receiver = await startSmtpReceiver({ certificate: fixture.certificate, withoutEncryption: true });
    await work(fixture, { server: serverOf({ receiver }) });
    expect([receiver.asked(), receiver.received]).toEqual([0, []]);
    await expectKept(mailId, 'encryption');
    const server = serverOf({ receiver }, { encryption: 'if-offered' });
    await endRests(fixture);
    await work(fixture, { server });
    expect(receiver.received).toMatchObject([{ encrypted: false }]);
    await receiver.stop();
  });

  test('that refuses our password keeps nobody waiting for ever: the mail is kept, and somebody told', async () => {
    const { mailId } = await queue(fixture);
    await work(fixture, { server: serverOf(fixture, { signIn: { user: 'counterfoil', password: 'wrong' } }) });
    await expectKept(mailId, 'sign-in');
    await endRests(fixture);
    await work(fixture);
    expect(await readMail(fixture, mailId)).toMatchObject({ state: 'sent', attempts: 2 });
  });
});
