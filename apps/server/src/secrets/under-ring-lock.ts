import type { Database } from '../db/database.ts';
import { lockRing } from './ring-key-sql.ts';

/** Proves that the lock is still held; throws when it was lost with its connection. */
export type ProveLock = () => Promise<void>;

/**
 * Runs `work` under the lock of the key ring: one change at a time, on whatever host. The lock has a transaction of its
 * own, beside those of `work`, which proves it before each step that another could undo.
 */
export function underRingLock<T>(database: Database, work: (prove: ProveLock) => Promise<T>): Promise<T> {
  return database.queries.transaction().execute(async (tx) => {
    await lockRing(tx);
    return work(() => lockRing(tx));
  });
}
