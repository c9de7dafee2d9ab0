import { fromKysely } from 'pg-boss';
import type { Tx } from '../db/transaction.ts';
import type { Job, JobName } from './job.ts';
import type { Jobs } from './open-jobs.ts';

/**
 * Sends a job in the caller's transaction: the job exists if the transaction commits, and never otherwise. A verb sends
 * its jobs before it writes its audit entry. Jobs of a higher priority are done first.
 */
export async function sendJob<Name extends JobName>(
  tx: Tx,
  { boss }: Jobs,
  { name, data }: Job<Name>,
  { priority = 0, afterSeconds = 0 }: { priority?: number; afterSeconds?: number } = {},
): Promise<void> {
  const id = await boss.send(name, data, { db: fromKysely(tx), priority, startAfter: afterSeconds });
  if (id === null) throw new Error(`The job ${name} was not taken.`);
}
