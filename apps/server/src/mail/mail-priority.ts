import type { MailTemplate } from './mail.ts';
import { ORDINARY_TEMPLATES } from './mail.ts';

/** The order in which queued emails are sent. Pure. */

/** From this many waiting emails of one share on, all are sent last. */
export const MOST_RANKS = 1_000;

export const isOrdinary = (template: MailTemplate) => ORDINARY_TEMPLATES.includes(template);

/**
 * The priority of an email's job: security emails first, and among equals the first email of each share before the
 * second of any. So the emails of several merchants are sent in turn, however many one of them has queued.
 */
export function priorityOf(template: MailTemplate, waitingOfShare: number): number {
  return (isOrdinary(template) ? MOST_RANKS : 2 * MOST_RANKS) - Math.min(waitingOfShare, MOST_RANKS);
}
