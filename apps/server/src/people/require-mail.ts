import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { canMail } from '../mail/queue-mail.ts';

/** Refuses actions that need email before any lookup, so that all users get the same answer. */
export async function requireMail(context: MailContext): Promise<void> {
  if (!(await canMail(context.database.queries, context))) throw new Refusal('MAIL_NOT_SET_UP');
}
