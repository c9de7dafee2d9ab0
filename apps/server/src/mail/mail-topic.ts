import { createTopic } from '../lib/topic.ts';

/**
 * What became of an attempt at an email: `dropped` when nobody needs it any more, `refused` by the mail server for good,
 * `retry` when it is tried again, `failed` when its tries are used up.
 */
export const MAIL_OUTCOMES = ['sent', 'dropped', 'refused', 'retry', 'failed'] as const;

export const TRIED_MAILS = createTopic<(typeof MAIL_OUTCOMES)[number]>('tried-mails');
