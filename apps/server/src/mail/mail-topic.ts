import { createTopic } from '../lib/topic.ts';

/**
 * `dropped`: no longer needed. `refused`: finally. `retry`: will be attempted again. `failed`: was the last attempt.
 */
export const MAIL_OUTCOMES = ['sent', 'dropped', 'refused', 'retry', 'failed'] as const;

export const TRIED_MAILS = createTopic<(typeof MAIL_OUTCOMES)[number]>('tried-mails');
