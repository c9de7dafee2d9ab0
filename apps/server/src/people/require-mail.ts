import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { canMail } from '../mail/queue-mail.ts';

/**
 * Refuses what cannot be done without mail where email is not set up. It is asked before anything else is looked up, so
 * that everybody gets the same answer.
 */
export async function requireMail(context: MailContext): Promise<void> {
  if (!(await canMail(context.database.queries, context))) throw new Refusal('MAIL_NOT_SET_UP');
}
