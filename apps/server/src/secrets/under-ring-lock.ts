import type { Database } from '../db/database.ts';
import { lockRing } from './ring-key-sql.ts';

/** Proves that the lock of the key ring is still held; throws when it was lost with its connection. */
export type ProveLock = () => Promise<void>;

/**
 * Runs `work` under the lock of the key ring, so that only one change is made at a time, on whatever host. The lock has
 * a transaction of its own, beside the transactions of `work`; `work` proves the lock before each step that another
 * process could undo.
 */
export function underRingLock<T>(database: Database, work: (prove: ProveLock) => Promise<T>): Promise<T> {
  return database.queries.transaction().execute(async (tx) => {
    await lockRing(tx);
    return work(() => lockRing(tx));
  });
}
