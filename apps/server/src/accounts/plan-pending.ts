import type { TimeRange } from './plan-statement.ts';
import { OVERLAP_MS } from './plan-statement.ts';
import type { StatementFollower, StatementNotes } from './statement-follower.ts';
import { findPendingTimes } from './statement-sql.ts';

/**
 * Pending rows that pay an invoice are read again around their own time until they are final, failed or gone: they may be
 * older than all other ranges, and their invoices wait for nothing else.
 */

/** How often all pending rows of an exchange account are read again, how many in one poll, and up to which age. */
const PENDING_EVERY_MS = 10 * 60_000;
const MAX_PENDING = 3;
const MAX_AGE_MS = 90 * 24 * 3_600_000;
/** How far around its time a row is looked for. */
const AROUND_MS = 1_000;

/** The range in which a pending row is looked for again: a second to both sides of its own time. */
export const aroundRow = (atMs: number): TimeRange => ({ fromMs: atMs - AROUND_MS, toMs: atMs + AROUND_MS });

/** Times of the pending rows to read next; undefined while it is not their turn. Younger ones are in the last half hour. */
export async function planPending(
  { database, source }: StatementFollower,
  account: string,
  notes: StatementNotes,
  nowMs: number,
): Promise<number[] | undefined> {
  const { pendingReadMs, pendingAfterMs } = notes;
  if (pendingReadMs !== undefined && nowMs - pendingReadMs < PENDING_EVERY_MS) return undefined;
  const among = { fromMs: Math.max(pendingAfterMs + 1, nowMs - MAX_AGE_MS), toMs: nowMs - OVERLAP_MS };
  return findPendingTimes(database.queries, source.network.id, account, among, MAX_PENDING);
}

/** Notes that these rows were read. A round ends with a poll that finds fewer than it may read. */
export function notePending(notes: StatementNotes, times: readonly number[], nowMs: number): void {
  const isOver = times.length < MAX_PENDING;
  notes.pendingAfterMs = isOver ? 0 : (times.at(-1) ?? 0);
  notes.pendingReadMs = isOver ? nowMs : undefined;
}
