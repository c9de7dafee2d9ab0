import type { Database } from '../../src/db/database.ts';
import { waitUntil } from '../processes/wait-until.ts';

const POLL_MS = 10;

/** Cancels each statement that waits for a lock, as the time limit of production would, until `work` is over. */
export async function endWaits<T>({ pool }: Pick<Database, 'pool'>, work: Promise<T>): Promise<T> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  // A failure of `work` is reported by the promise that is returned below.
  ended.catch(() => {});
  const cancelAll = async () => {
    await pool.query(
      `select pg_cancel_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
    );
    return isOver;
  };
  await waitUntil(cancelAll, { what: 'The work does not end.', pollMs: POLL_MS });
  return ended;
}
