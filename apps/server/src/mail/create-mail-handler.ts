import type { Context } from '../db/context.ts';
import { afterCommit } from '../db/transaction.ts';
import type { JobHandler } from '../jobs/job-handler.ts';
import { decideMail } from './mail-sql.ts';
import { TRIED_MAILS } from './mail-topic.ts';
import type { Sending } from './send-mail.ts';
import { sendMail } from './send-mail.ts';

export function createMailHandler(context: Context, sending: Sending | undefined): JobHandler<'send-mail'> {
  return {
    run: sending && (({ mailId }) => sendMail({ ...context, ...sending }, BigInt(mailId))),
    bury: async (tx, { mailId }) => {
      const at = new Date(context.clock.nowMs());
      await decideMail(tx, BigInt(mailId), { state: 'failed', at, attempted: false });
      afterCommit(tx, () => TRIED_MAILS.publish('failed'));
    },
  };
}
