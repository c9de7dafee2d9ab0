import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { NO_PRICES } from '../../rig/fakes/price-servers.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { openEngineFixture, openPayableStore } from '../../rig/invoices/engine-fixture.ts';
import { follow, mineNow } from '../../rig/invoices/follow-network.ts';
import { statusOf } from '../../rig/invoices/look-up.ts';
import { pay, select } from '../../rig/invoices/pay-invoice.ts';
import type { MailCertificate } from '../../rig/mail/mail-certificate.ts';
import { makeMailCertificate } from '../../rig/mail/mail-certificate.ts';
import type { SmtpReceiver } from '../../rig/mail/smtp-receiver.ts';
import { startSmtpReceiver } from '../../rig/mail/smtp-receiver.ts';
import { openBrowser } from '../../rig/people/dashboard-site.ts';
import type { WorkerProcess } from '../../rig/processes/server-process.ts';
import { startApi, startDashboard, startWorker } from '../../rig/processes/server-process.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import type { Receiver } from '../../rig/webhooks/receiver.ts';
import { startReceiver } from '../../rig/webhooks/receiver.ts';
import { JOB_SCHEMA_VERSION } from '../../src/jobs/job.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { confirmMailSetup } from '../../src/mail/confirm-mail-setup.ts';
import { createPerson } from '../../src/people/create-person.ts';
import { writeKeyRing } from '../../src/secrets/key-ring.ts';

/** Real processes on job tables that their pg-boss does not support. */

const SOON = { timeout: 60_000, interval: 50 };
const MAIL = 'ada@acme.test';

let engine: EngineFixture;
let folder: string;
let certificate: MailCertificate;
let mailbox: SmtpReceiver;
let receiver: Receiver;
let started: WorkerProcess[] = [];
beforeEach(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC']);
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-jobs-'));
  certificate = await makeMailCertificate();
  mailbox = await startSmtpReceiver({ certificate });
  receiver = await startReceiver(() => systemClock.nowMs());
});
afterEach(async () => {
  await Promise.all(started.map((one) => one.stop()));
  started = [];
  await receiver.close();
  await mailbox.stop();
  await certificate.remove();
  await rm(folder, { recursive: true });
  await engine.close();
});

const ringFile = () => join(folder, 'ring.json');

async function keep<T extends WorkerProcess>(starting: Promise<T>): Promise<T> {
  const process = await starting;
  started.push(process);
  return process;
}

const startSender = () =>
  keep(
    startWorker(engine.url, {
      ...NO_PRICES,
      COUNTERFOIL_POLL_MS: '50',
      COUNTERFOIL_PRIVATE_CALLBACKS: 'allow',
      COUNTERFOIL_KEY_RING_FILE: ringFile(),
      COUNTERFOIL_RPC_BSC: engine.chains['BSC']?.anvil.url ?? '',
      COUNTERFOIL_MAIL_URL: mailbox.url,
      COUNTERFOIL_MAIL_FROM: 'Counterfoil <no-reply@counterfoil.example>',
      COUNTERFOIL_DASHBOARD_URL: 'https://dashboard.example',
      NODE_EXTRA_CA_CERTS: certificate.path,
    }),
  );

const setVersion = (version: number) => engine.database.pool.query('update pgboss.version set version = $1', [version]);

async function read<T>(sql: string): Promise<T[]> {
  return (await engine.database.pool.query(sql)).rows as T[];
}

/** Status and notes of `/readyz` on the operations port. */
async function readiness({ operationsUrl }: WorkerProcess): Promise<unknown> {
  const response = await fetch(`${operationsUrl}/readyz`);
  const { faults, notes } = (await response.json()) as { faults: string[]; notes: string[] };
  return { status: response.status, faults, notes };
}

const stateOfMails = () => read('select template, state, attempts from mails order by id');
const READY = { status: 200, faults: [], notes: [] };
const SENT = [{ template: 'reset-password', state: 'sent', attempts: 1 }];

test.each([
  ['newer', 'another worker sends', JOB_SCHEMA_VERSION + 1, true],
  ['older', 'the same worker sends without a restart', JOB_SCHEMA_VERSION - 1, false],
])(
  'beside %s job tables all processes start, money moves, and %s what was queued meanwhile, once',
  async (_state, _who, version, isReplaced) => {
    const store = await openPayableStore(engine);
    receiver.secrets.set('shop', store.webhookSecret);
    await writeKeyRing(ringFile(), store.ring);
    await confirmMailSetup({ database: engine.database, clock: systemClock });
    await createPerson({ database: engine.database, clock: systemClock }, TESTER, {
      mail: { normal: MAIL, shown: MAIL },
      name: 'Ada',
      language: 'en',
      operatorRole: null,
    });
    await follow(engine, 'BSC');
    await setVersion(version);
    const api = await keep(startApi(engine.url));
    const dashboard = await keep(startDashboard(engine.url, { COUNTERFOIL_KEY_RING_FILE: ringFile() }));

    const created = await fetch(`${api.url}/payment/crypto`, {
      method: 'POST',
      headers: { 'x-api-key': store.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ merchant_id: store.merchantId, amount: '50', callback_url: `${receiver.url}/shop` }),
    });
    expect(created.status).toBe(200);
    const { data } = (await created.json()) as { data: { trans_id: string } };
    await pay(engine, await select(engine, data.trans_id));
    await mineNow(engine, 'BSC', 12);
    await engine.database.pool.query('update chains set lease_until = now()');
    const worker = await startSender();
    await expect.poll(() => statusOf(engine, store, data.trans_id), SOON).toBe('completed');
    await expect.poll(() => receiver.received.map(({ verified }) => verified), SOON).toEqual([true]);

    expect((await openBrowser({ server: dashboard }).send('POST', '/forgot', { mail: MAIL })).status).toBe(200);
    const off = `Jobs are off: the job tables have version ${version}, and this process supports ${JOB_SCHEMA_VERSION}.`;
    for (const one of [worker, dashboard])
      expect(await readiness(one)).toEqual({ ...READY, notes: [expect.stringContaining(off)] });
    expect(await readiness(api)).toEqual(READY);
    const details = { version, known: JOB_SCHEMA_VERSION };
    await expect
      .poll(() => read(`select kind, subject, details from alarms where kind = 'jobs-off' order by subject`), SOON)
      .toEqual(['dashboard', 'worker'].map((subject) => ({ kind: 'jobs-off', subject, details })));
    expect(await stateOfMails()).toEqual([{ template: 'reset-password', state: 'queued', attempts: 0 }]);
    expect(await read('select name from pgboss.job')).toEqual([]);
    expect(await read('select name from waiting_jobs')).toEqual([{ name: 'send-mail' }]);
    expect(mailbox.received).toEqual([]);

    if (isReplaced) await worker.stop();
    await setVersion(JOB_SCHEMA_VERSION);
    if (isReplaced) await startSender();
    await expect.poll(stateOfMails, SOON).toEqual(SENT);
    for (const one of isReplaced ? [dashboard] : [worker, dashboard])
      await expect.poll(() => readiness(one), SOON).toEqual(READY);
    expect((await openBrowser({ server: dashboard }).send('POST', '/forgot', { mail: MAIL })).status).toBe(200);
    await expect.poll(stateOfMails, SOON).toEqual([...SENT, ...SENT]);
    expect(await read('select name from waiting_jobs')).toEqual([]);
    expect(mailbox.received.map(({ to }) => to)).toEqual([[MAIL], [MAIL]]);
  },
);
