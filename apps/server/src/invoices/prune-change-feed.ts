import type { Database } from '../db/database.ts';
import { deleteChangesBefore, readPosition } from './change-feed-sql.ts';

const DELETED_TOGETHER = 10_000;
const MAX_BATCHES = 20;

/**
 * Forgets what was already old when it last ran, so that a reader who is late by one round misses nothing. Readers begin
 * anew after any fault, and are never silent for as long as a round takes without one.
 */
export function createPruneChangeFeed(database: Database): () => Promise<void> {
  let position: string | undefined;
  return async () => {
    const before = position;
    position = await readPosition(database.pool);
    if (before === undefined) return;
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      if ((await deleteChangesBefore(database.pool, before, DELETED_TOGETHER)) < DELETED_TOGETHER) return;
    }
  };
}
