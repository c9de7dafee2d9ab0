import type { Context } from '../db/context.ts';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { sendJob } from '../jobs/send-job.ts';
import type { Jobs } from '../jobs/open-jobs.ts';
import type { MailAddress } from './mail-address.ts';
import type { MailData, MailLanguage, MailTemplate } from './mail.ts';
import { holdsIdsOnly } from './mail.ts';
import { isMailSetUp } from './mail-setup.ts';
import { insertMail } from './mail-sql.ts';

/** Where a process puts mails; `jobs` is undefined where none can be queued. */
export type Outbox = { clock: Clock; jobs: Jobs | undefined };

/** The context of verbs that tell people something by mail. */
export type MailContext = Context & Outbox;

type MailRequest = { template: MailTemplate; language: MailLanguage; to: MailAddress; data: MailData };

export type QueuedMail = { mailId: bigint; state: 'queued' | 'unsent' };

/** Whether mails are queued: email is set up, in this process or elsewhere. */
export async function canMail(queries: Queries, { clock, jobs }: Outbox): Promise<boolean> {
  return jobs !== undefined && (await isMailSetUp(queries, clock));
}

/**
 * Queues a mail in the caller's transaction, with the job that sends it. Where email is not set up the mail is `unsent`
 * from the beginning and there is no job: callers show its state, and never say that something was sent. A verb queues
 * its mails before it writes its audit entry.
 */
export async function queueMail(tx: Tx, { clock, jobs }: Outbox, request: MailRequest): Promise<QueuedMail> {
  const { template, language, to, data } = request;
  if (!holdsIdsOnly(data)) throw new Error(`The data of the mail ${template} holds more than ids.`);
  const sending = (await canMail(tx, { clock, jobs })) ? jobs : undefined;
  const state = sending ? 'queued' : 'unsent';
  const createdAt = new Date(clock.nowMs());
  const mailId = await insertMail(tx, { template, language, toAddress: to.shown, data, state, createdAt });
  if (sending) await sendJob(tx, sending, { name: 'send-mail', data: { mailId: String(mailId) } });
  return { mailId, state };
}
