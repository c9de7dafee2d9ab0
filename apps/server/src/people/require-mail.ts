import { Refusal } from '../lib/refusal.ts';
import type { Outbox } from '../mail/queue-mail.ts';

/**
 * Refuses what cannot be done without mail where no mail server is configured. It is asked before anything is looked
 * up, so that everybody gets the same answer.
 */
export function requireMail({ jobs }: Outbox): void {
  if (!jobs) throw new Refusal('MAIL_NOT_SET_UP');
}
