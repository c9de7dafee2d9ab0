import type pg from 'pg';
import type { AdmissionPlace } from './admission-sql.ts';
import { deleteIdleAdmissions } from './admission-sql.ts';

/** Small, so that a statement ends long before its time limit. */
const ROWS = 5_000;
/** Most statements per round. */
const MOST_STATEMENTS = 100;

/** Deletes admissions whose windows have passed, continuing where the last round ended. */
export function createForgetAdmissions(pool: pg.Pool): () => Promise<void> {
  let place: AdmissionPlace | undefined;
  return async () => {
    for (let statements = 0; statements < MOST_STATEMENTS; statements += 1) {
      place = (await deleteIdleAdmissions(pool, place, ROWS)).next;
      if (!place) return;
    }
  };
}
