/**
 * Work that a worker does after the transaction that requested it, repeated until it succeeds or its attempts are used
 * up. pg-boss keeps jobs in the database.
 */

/** Only ids. Secrets and links are generated when the job runs, and are never stored here. */
export type JobData = { 'send-mail': { mailId: string }; 'make-export': { exportId: string } };

export type JobName = keyof JobData;

export type Job<Name extends JobName = JobName> = { name: Name; data: JobData[Name] };

type JobPolicy = {
  /** Attempts after the first. */
  retries: number;
  /** Shortest pause before the first retry; doubles each time, with jitter. */
  firstRestSeconds: number;
  longestRestSeconds: number;
  /** Longest attempt. */
  maxSeconds: number;
  /** Most concurrent jobs of the kind per worker. */
  atOnce: number;
};

export const JOB_POLICIES: { readonly [Name in JobName]: JobPolicy } = {
  'send-mail': { retries: 13, firstRestSeconds: 5, longestRestSeconds: 10_800, maxSeconds: 50, atOnce: 5 },
  'make-export': { retries: 5, firstRestSeconds: 5, longestRestSeconds: 300, maxSeconds: 3_600, atOnce: 2 },
};

export const JOB_NAMES = Object.keys(JOB_POLICIES) as JobName[];

/**
 * Emails are attempted 14 times within about half a day: a later one would surprise its reader. An export may have a
 * million rows and pauses between reads; a user waits for it, so its attempts are soon used up.
 */
export const JOB_SCHEMA = 'pgboss';

/** The schema version of the installed pg-boss, which starts on no other. */
export const JOB_SCHEMA_VERSION = 43;

/** Queue of jobs whose attempts are used up, until a worker reports them. */
export const DEAD_JOBS = 'dead-jobs';

/** Seconds without a sign of life after which a job is taken from its worker and retried. */
export const LIFE_SECONDS = 15;
