import { createTopic } from '../lib/topic.ts';
import type { JobName } from './job.ts';

/** Kinds of jobs that failed after their last attempt, one message for each job. */
export const FAILED_JOBS = createTopic<JobName>('failed-jobs');
