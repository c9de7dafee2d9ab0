import type { Language } from '@counterfoil/core/language.ts';
import type { Context } from '../db/context.ts';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { sendJob } from '../jobs/send-job.ts';
import type { Jobs } from '../jobs/open-jobs.ts';
import type { MailAddress } from './mail-address.ts';
import type { MailData, MailTemplate } from './mail.ts';
import { holdsIdsOnly, ORDINARY_TEMPLATES } from './mail.ts';
import { isOrdinary, MOST_RANKS, priorityOf } from './mail-priority.ts';
import { isMailSetUp } from './mail-setup.ts';
import { countWaiting, insertMail, mergeMail } from './mail-sql.ts';

/** A process's way to queue emails; `jobs` is undefined where none can be queued. */
export type Outbox = { clock: Clock; jobs: Jobs | undefined };

/** The context of verbs that notify people by email. */
export type MailContext = Context & Outbox;

type MailRequest = {
  template: MailTemplate;
  language: Language;
  to: MailAddress;
  data: MailData;
  /** The merchant whose budget the email uses, unless its data has one. */
  merchantAccountId?: bigint;
  /** Whether the email waits an hour and replaces others with the same template, person and merchant. */
  merges?: boolean;
};

const MERGE_SECONDS = 3_600;

function shareOf({ data, merchantAccountId }: MailRequest): string | null {
  const merchant = merchantAccountId === undefined ? data['merchant'] : String(merchantAccountId);
  if (merchant !== undefined) return `merchant:${merchant}`;
  return data['person'] === undefined ? null : `person:${data['person']}`;
}

export type QueuedMail = { mailId: bigint; state: 'queued' | 'unsent' };

/** Whether email is set up, in this process or another. */
export async function canMail(queries: Queries, { clock, jobs }: Outbox): Promise<boolean> {
  return jobs !== undefined && (await isMailSetUp(queries, clock));
}

/**
 * Queues an email with its job in the caller's transaction, before the audit entry. Where email is not set up it is
 * `unsent` without a job: callers show this state, and never say that something was sent.
 */
export async function queueMail(tx: Tx, { clock, jobs }: Outbox, request: MailRequest): Promise<QueuedMail> {
  const { template, language, to, data, merges = false } = request;
  if (!holdsIdsOnly(data)) throw new Error(`The data of the mail ${template} holds more than ids.`);
  const sending = (await canMail(tx, { clock, jobs })) ? jobs : undefined;
  const state = sending ? 'queued' : 'unsent';
  const createdAt = new Date(clock.nowMs());
  const share = shareOf(request);
  const mail = { template, language, toAddress: to.shown, data, state, createdAt, share } as const;
  if (!sending) return { mailId: await insertMail(tx, mail), state };
  const asked = { ordinary: ORDINARY_TEMPLATES, isOrdinary: isOrdinary(template), most: MOST_RANKS };
  const priority = priorityOf(template, share === null ? 0 : await countWaiting(tx, share, asked));
  const { mailId, isNew } = merges
    ? await mergeMail(tx, mail, `${template} ${share} ${data['person'] ?? to.normal}`)
    : { mailId: await insertMail(tx, mail), isNew: true };
  const afterSeconds = merges ? MERGE_SECONDS : 0;
  if (isNew)
    await sendJob(tx, sending, { name: 'send-mail', data: { mailId: String(mailId) } }, { priority, afterSeconds });
  return { mailId, state };
}
