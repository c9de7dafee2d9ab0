import type { Database } from '../db/database.ts';
import { deleteChangesBefore, readPosition } from './change-feed-sql.ts';

const DELETED_TOGETHER = 10_000;
const MAX_BATCHES = 20;

/** Deletes changes visible one round before, so that readers that are late by a round miss nothing. */
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
