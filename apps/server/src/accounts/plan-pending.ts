import type { Tx } from '../db/transaction.ts';
import { revertTransfers } from '../transfers/transfer-sql.ts';
import type { TimeRange } from './plan-statement.ts';
import { OVERLAP_MS } from './plan-statement.ts';
import { raiseGivenUp } from './statement-alarms.ts';
import type { StatementFollower, StatementNotes } from './statement-follower.ts';
import { findPendingBefore, findPendingTimes } from './statement-sql.ts';

/**
 * Pending rows that pay an invoice are read again around their own time until they are final, failed, gone or 90 days
 * old: they may be older than every regular range, and only their invoices wait for them.
 */

/** Interval, batch size and maximum age of reads of pending rows. */
const PENDING_EVERY_MS = 10 * 60_000;
const MAX_PENDING = 3;
const MAX_AGE_MS = 90 * 24 * 3_600_000;
/** How far around its own time a pending row is searched for. */
const AROUND_MS = 1_000;

export const aroundRow = (atMs: number): TimeRange => ({ fromMs: atMs - AROUND_MS, toMs: atMs + AROUND_MS });

/** Times of the pending rows to read next. Those of the last half hour are left out, because polls read it anyway. */
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

/** Records read pending rows. A round ends with a poll that finds fewer than one poll may read. */
export function notePending(notes: StatementNotes, times: readonly number[], nowMs: number): void {
  const isOver = times.length < MAX_PENDING;
  notes.pendingAfterMs = isOver ? 0 : (times.at(-1) ?? 0);
  notes.pendingReadMs = isOver ? nowMs : undefined;
}

/** Most rows that one poll abandons. */
const MAX_GIVEN_UP = 100;

/** Abandons 90-day-old pending rows that no read shows: their invoices stop waiting. Requires the account's lock. */
export async function giveUpPending(
  tx: Tx,
  follower: StatementFollower,
  account: string,
  nowMs: number,
): Promise<void> {
  const network = follower.source.network.id;
  const rows = await findPendingBefore(tx, network, account, nowMs - MAX_AGE_MS, MAX_GIVEN_UP);
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await revertTransfers(tx, ids);
  await follower.apply(tx, network, ids);
  await raiseGivenUp(tx, follower, account, rows);
}
