import { createTopic } from '../lib/topic.ts';
import type { JobName } from './job.ts';

/** Kinds of jobs whose tries are used up, one message for each job. */
export const FAILED_JOBS = createTopic<JobName>('failed-jobs');
