/**
 * Jobs: work that a worker does after the transaction that asked for it, again and again until it succeeds or its tries
 * are used up. pg-boss keeps them in the database.
 */

/** Data of each kind of job: ids only. Secrets and links are drawn when the job is done, and are never stored here. */
export type JobData = { 'send-mail': { mailId: string }; 'make-export': { exportId: string } };

export type JobName = keyof JobData;

export type Job<Name extends JobName = JobName> = { name: Name; data: JobData[Name] };

type JobPolicy = {
  /** How often a job is tried again after its first try. */
  retries: number;
  /** Shortest rest before the first retry. Rests double from try to try, and each is lengthened by chance. */
  firstRestSeconds: number;
  longestRestSeconds: number;
  /** Longest time that one try may take. */
  maxSeconds: number;
  /** Most jobs of the kind that a worker does at once. */
  atOnce: number;
};

/**
 * Policies of jobs. A mail is tried 14 times within about half a day: a later one would surprise its reader. An export
 * can have a million rows and rests between its reads; somebody waits for it, so its tries are soon used up.
 */
export const JOB_POLICIES: { readonly [Name in JobName]: JobPolicy } = {
  'send-mail': { retries: 13, firstRestSeconds: 5, longestRestSeconds: 10_800, maxSeconds: 50, atOnce: 5 },
  'make-export': { retries: 5, firstRestSeconds: 5, longestRestSeconds: 300, maxSeconds: 3_600, atOnce: 2 },
};

export const JOB_NAMES = Object.keys(JOB_POLICIES) as JobName[];

/** Database schema of pg-boss. */
export const JOB_SCHEMA = 'pgboss';

/** Version of that schema which the installed pg-boss knows; it refuses to start on any other. */
export const JOB_SCHEMA_VERSION = 43;

/** Queue of jobs whose tries are used up, until a worker has told about them. */
export const DEAD_JOBS = 'dead-jobs';

/**
 * Seconds without a sign of life after which a job is taken from its worker, which was killed or lost the database, and
 * is tried again.
 */
export const LIFE_SECONDS = 15;
