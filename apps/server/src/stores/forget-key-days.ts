import { DAY_MS } from '@counterfoil/core/duration.ts';
import type pg from 'pg';
import type { Clock } from '../lib/clock.ts';
import { deleteKeyDays } from './key-use-sql.ts';

/** How long uses of API keys are kept. */
const KEPT_DAYS = 90;
/** Most rows deleted per round. */
const ROWS = 5_000;

/** Creates a round that deletes old uses of API keys. */
export function createForgetKeyDays(pool: pg.Pool, clock: Clock): () => Promise<void> {
  return async () => {
    await deleteKeyDays(pool, new Date(clock.nowMs() - KEPT_DAYS * DAY_MS), ROWS);
  };
}
