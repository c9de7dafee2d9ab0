import type { Language } from '@counterfoil/core/language.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { buryJobs } from '../../src/jobs/bury-jobs.ts';
import { runJobs } from '../../src/jobs/run-jobs.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import { createMailHandler } from '../../src/mail/create-mail-handler.ts';
import { createTransport } from '../../src/mail/create-transport.ts';
import type { Gatherers } from '../../src/mail/gatherer.ts';
import type { MailAddress } from '../../src/mail/mail-address.ts';
import { parseMailAddress } from '../../src/mail/mail-address.ts';
import type { MailServer } from '../../src/mail/mail-server.ts';
import { confirmMailSetup } from '../../src/mail/confirm-mail-setup.ts';
import type { StoredMail } from '../../src/mail/mail-sql.ts';
import { findMail } from '../../src/mail/mail-sql.ts';
import type { MailData, MailTemplate } from '../../src/mail/mail.ts';
import type { QueuedMail } from '../../src/mail/queue-mail.ts';
import { queueMail } from '../../src/mail/queue-mail.ts';
import type { Template } from '../database/template-database.ts';
import type { JobFixture } from '../jobs/job-fixture.ts';
import { NO_EXPORTS, openJobFixture, SILENT } from '../jobs/job-fixture.ts';
import type { MailCertificate } from './mail-certificate.ts';
import { makeMailCertificate } from './mail-certificate.ts';
import type { SmtpReceiver } from './smtp-receiver.ts';
import { MAIL_PASSWORD, MAIL_USER, startSmtpReceiver } from './smtp-receiver.ts';

/** A database, a mail server and a worker's email handler in one process. */

export const DASHBOARD_URL = 'https://dashboard.example';

export const READER = addressOf('reader@acme.example');

export function addressOf(text: string): MailAddress {
  const address = parseMailAddress(text);
  if (!address) throw new Error(`${text} is not a plain address.`);
  return address;
}

export type MailFixture = JobFixture & {
  clock: ManualClock;
  receiver: SmtpReceiver;
  certificate: MailCertificate;
};

export async function openMailFixture(template: Template): Promise<MailFixture> {
  const own = await openJobFixture(template);
  const certificate = await makeMailCertificate();
  const receiver = await startSmtpReceiver({ certificate });
  const close = async () => {
    await receiver.stop();
    await certificate.remove();
    await own.close();
  };
  return { ...own, clock: createManualClock(systemClock.nowMs()), receiver, certificate, close };
}

/** The configured server: the fixture's receiver, by STARTTLS that is demanded. */
export function serverOf({ receiver }: Pick<MailFixture, 'receiver'>, changes: Partial<MailServer> = {}): MailServer {
  return {
    host: 'localhost',
    port: receiver.port,
    encryption: 'starttls',
    signIn: { user: MAIL_USER, password: MAIL_PASSWORD },
    from: { name: 'Counterfoil', address: addressOf('no-reply@counterfoil.example') },
    dashboardUrl: DASHBOARD_URL,
    ...changes,
  };
}

type Asked = { template: MailTemplate; language: Language; to: MailAddress; data: MailData };

const TEST_MAIL: Asked = { template: 'mail-test', language: 'en', to: READER, data: {} };

export async function queue(fixture: MailFixture, asked: Partial<Asked> = {}): Promise<QueuedMail> {
  const { clock, jobs } = fixture;
  await confirmMailSetup({ database: fixture.as('worker'), clock });
  return inTransaction(fixture.as('worker'), (tx) => queueMail(tx, { clock, jobs }, { ...TEST_MAIL, ...asked }));
}

const notWanted = async () => undefined;

/** Data loaders of test emails, and given ones; every other email is no longer needed. */
export function gatherersWith(own: Partial<Gatherers> = {}): Gatherers {
  const templates: MailTemplate[] = ['verify-address', 'invitation', 'password-changed'];
  const others = Object.fromEntries(templates.map((template) => [template, notWanted]));
  return { ...others, 'mail-test': async () => ({}), ...own } as Gatherers;
}

export type SendingChanges = { server?: MailServer; authorities?: string | undefined; gatherers?: Gatherers };

/** One round of a worker's loops: sends due emails, and reports failed jobs. */
export async function work(fixture: MailFixture, changes: SendingChanges = {}): Promise<void> {
  const { clock, jobs, certificate } = fixture;
  const database = fixture.as('worker');
  const { server = serverOf(fixture), gatherers = gatherersWith() } = changes;
  const authorities = 'authorities' in changes ? changes.authorities : certificate.certificate;
  const sending = { server, gatherers, transport: createTransport(server, authorities) };
  const handler = createMailHandler({ database, clock }, sending);
  const signal = new AbortController().signal;
  if (handler.run) await runJobs({ jobs, log: SILENT, signal }, 'send-mail', handler.run);
  await buryJobs({ database, clock, jobs }, { 'send-mail': handler, 'make-export': NO_EXPORTS });
}

export async function readMail(fixture: Pick<MailFixture, 'database'>, id: bigint): Promise<StoredMail> {
  const mail = await findMail(fixture.database.queries, id);
  if (!mail) throw new Error(`There is no mail ${id}.`);
  return mail;
}
