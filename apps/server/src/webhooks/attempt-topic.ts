import { createTopic } from '../lib/topic.ts';
import type { EndedAttempt } from './attempt-sql.ts';

/** Attempts whose outcome this process has saved. */
export const SAVED_ATTEMPTS = createTopic<readonly Pick<EndedAttempt, 'state'>[]>('saved-attempts');
