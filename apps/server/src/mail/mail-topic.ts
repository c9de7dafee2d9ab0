import { createTopic } from '../lib/topic.ts';

/**
 * Outcomes of an attempt at an email: `dropped` when it is no longer needed, `refused` finally by the mail server, `retry`
 * when it will be attempted again, `failed` after its last attempt.
 */
export const MAIL_OUTCOMES = ['sent', 'dropped', 'refused', 'retry', 'failed'] as const;

export const TRIED_MAILS = createTopic<(typeof MAIL_OUTCOMES)[number]>('tried-mails');
