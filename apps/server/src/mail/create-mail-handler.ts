import type { Context } from '../db/context.ts';
import type { JobHandler } from '../jobs/job-handler.ts';
import { decideMail } from './mail-sql.ts';
import type { Sending } from './send-mail.ts';
import { sendMail } from './send-mail.ts';

/** Creates the handler of the jobs that send mails; `sending` is undefined when no mail server is configured here. */
export function createMailHandler(context: Context, sending: Sending | undefined): JobHandler<'send-mail'> {
  return {
    run: sending && (({ mailId }) => sendMail({ ...context, ...sending }, BigInt(mailId))),
    bury: (tx, { mailId }) =>
      decideMail(tx, BigInt(mailId), { state: 'failed', at: new Date(context.clock.nowMs()), attempted: false }),
  };
}
