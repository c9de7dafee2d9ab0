import type { Tx } from '../db/transaction.ts';
import type { JobData, JobName } from './job.ts';

/** An exception means a retry. May run twice, even concurrently, when a worker lost the database. */
export type JobRun<Name extends JobName> = (data: JobData[Name]) => Promise<void>;

/** A worker's handler for one kind of job, injected by its wiring. */
export type JobHandler<Name extends JobName> = {
  /** Undefined in a worker without the setup for this kind: it leaves these jobs to others. */
  run: JobRun<Name> | undefined;
  /** Records that the job's attempts are used up. */
  bury: (tx: Tx, data: JobData[Name]) => Promise<void>;
};

export type JobHandlers = { readonly [Name in JobName]: JobHandler<Name> };
