import type { Database } from '../db/database.ts';
import { lockRing } from './ring-key-sql.ts';

/** Throws when the lock was lost with its connection. */
export type ProveLock = () => Promise<void>;

/**
 * Runs `work` under the key ring's lock: one change at a time on any host. The lock has its own transaction; `work`
 * proves it before each step that another process could undo.
 */
export function underRingLock<T>(database: Database, work: (prove: ProveLock) => Promise<T>): Promise<T> {
  return database.queries.transaction().execute(async (tx) => {
    await lockRing(tx);
    return work(() => lockRing(tx));
  });
}
