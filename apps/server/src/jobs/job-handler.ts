import type { Tx } from '../db/transaction.ts';
import type { JobData, JobName } from './job.ts';

/**
 * Does a job; whatever it throws has the job tried again. It may run twice, even at the same time: a worker that lost
 * the database may still be at it when another begins.
 */
export type JobRun<Name extends JobName> = (data: JobData[Name]) => Promise<void>;

/** What a worker does with one kind of job. Handed in by the worker's wiring. */
export type JobHandler<Name extends JobName> = {
  /** Undefined in a worker that is not set up for this kind: it leaves these jobs to others. */
  run: JobRun<Name> | undefined;
  /** Writes that the tries of the job are used up. */
  bury: (tx: Tx, data: JobData[Name]) => Promise<void>;
};

export type JobHandlers = { readonly [Name in JobName]: JobHandler<Name> };
