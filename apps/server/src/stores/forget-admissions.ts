import type pg from 'pg';
import type { AdmissionPlace } from './admission-sql.ts';
import { deleteIdleAdmissions } from './admission-sql.ts';

/** How many admissions one statement reads: few enough that the statement ends long before its time limit. */
const ROWS = 5_000;
/** The most statements of one round. */
const MOST_STATEMENTS = 100;

/**
 * Creates a round that deletes admissions whose rate windows have passed. A round goes on where the last one ended, so
 * that every admission is reached.
 */
export function createForgetAdmissions(pool: pg.Pool): () => Promise<void> {
  let place: AdmissionPlace | undefined;
  return async () => {
    for (let statements = 0; statements < MOST_STATEMENTS; statements += 1) {
      place = (await deleteIdleAdmissions(pool, place, ROWS)).next;
      if (!place) return;
    }
  };
}
