import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import { sendJob } from '../jobs/send-job.ts';
import type { Operator } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { MOST_RANKS, priorityOf } from './mail-priority.ts';
import { findMailState, requeueMails } from './mail-retry-sql.ts';
import type { MailTemplate } from './mail.ts';
import type { Outbox } from './queue-mail.ts';

type RetryInput = { outbox: Outbox; chosen: { id: bigint } | { since: Date }; limit: number };

/**
 * Queues failed emails again, each with one new job; returns how many. The email's state decides, so a second command
 * or leftover job sends nothing. The worker drops emails that are no longer needed.
 */
export async function retryMails(
  { database, clock }: Context,
  actor: Operator,
  { outbox: { jobs }, chosen, limit }: RetryInput,
): Promise<number> {
  if (!jobs) throw new Refusal('MAIL_NOT_SET_UP');
  const id = 'id' in chosen ? chosen.id : undefined;
  const since = 'since' in chosen ? chosen.since : new Date(0);
  return inTransaction(database, async (tx) => {
    const mails = await requeueMails(tx, { id, since, limit });
    if (id !== undefined && mails.length === 0) {
      const state = await findMailState(tx, id);
      if (state === undefined) throw new Refusal('JOB_UNKNOWN', { job: `mail:${id}` });
      throw new Refusal('JOB_NOT_WAITING', { state: state === 'failed' ? 'active' : state });
    }
    for (const mail of mails) {
      // After everything else of its kind: many may be queued together.
      const priority = priorityOf(mail.template as MailTemplate, MOST_RANKS);
      await sendJob(tx, jobs, { name: 'send-mail', data: { mailId: String(mail.id) } }, { priority });
    }
    if (mails.length > 0)
      await recordAudit(tx, clock, actor, {
        action: 'job.retry',
        subject: id === undefined ? 'queue:send-mail' : `mail:${id}`,
        details: { mails: mails.map((mail) => String(mail.id)) },
      });
    return mails.length;
  });
}
