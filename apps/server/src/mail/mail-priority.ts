import type { MailTemplate } from './mail.ts';
import { ORDINARY_TEMPLATES } from './mail.ts';

/** The order in which queued emails are sent. */

/** With this many waiting emails of one share, all are sent last. */
export const MOST_RANKS = 1_000;

export const isOrdinary = (template: MailTemplate) => ORDINARY_TEMPLATES.includes(template);

/** Security emails first, then in turn by share, however many emails one merchant has queued. */
export function priorityOf(template: MailTemplate, waitingOfShare: number): number {
  return (isOrdinary(template) ? MOST_RANKS : 2 * MOST_RANKS) - Math.min(waitingOfShare, MOST_RANKS);
}
