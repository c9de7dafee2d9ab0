import type { Database } from '../db/database.ts';
import { lockRing } from './ring-key-sql.ts';

/** Throws when the lock was lost with its connection. */
export type ProveLock = () => Promise<void>;

/**
 * One change of the ring at a time, on whatever host. The lock lasts as long as a transaction of its own, beside those of
 * `work`, which proves it before each step that another could undo.
 */
export function underRingLock<T>(database: Database, work: (prove: ProveLock) => Promise<T>): Promise<T> {
  return database.queries.transaction().execute(async (tx) => {
    await lockRing(tx);
    return work(() => lockRing(tx));
  });
}
