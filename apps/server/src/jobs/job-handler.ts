import type { Tx } from '../db/transaction.ts';
import type { JobData, JobName } from './job.ts';

/** What a worker does with one kind of job. Handed in by the worker's wiring. */
export type JobHandler<Name extends JobName> = {
  /**
   * Does the job; whatever it throws has the job tried again. It may run twice, even at the same time: a worker that
   * lost the database may still be at it when another begins.
   */
  run: (data: JobData[Name]) => Promise<void>;
  /** Writes that the tries of the job are used up. */
  bury: (tx: Tx, data: JobData[Name]) => Promise<void>;
};

export type JobHandlers = { readonly [Name in JobName]: JobHandler<Name> };
