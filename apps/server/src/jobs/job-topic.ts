import { createTopic } from '../lib/topic.ts';
import type { JobName } from './job.ts';

export const FAILED_JOBS = createTopic<JobName>('failed-jobs');
