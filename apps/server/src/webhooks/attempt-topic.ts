import { createTopic } from '../lib/topic.ts';
import type { EndedAttempt } from './attempt-sql.ts';

export const SAVED_ATTEMPTS = createTopic<readonly Pick<EndedAttempt, 'state'>[]>('saved-attempts');
