import type { Tx } from '../db/transaction.ts';
import { revertTransfers } from '../transfers/transfer-sql.ts';
import type { TimeRange } from './plan-statement.ts';
import { OVERLAP_MS } from './plan-statement.ts';
import { raiseGivenUp } from './statement-alarms.ts';
import type { StatementFollower, StatementNotes } from './statement-follower.ts';
import { findPendingBefore, findPendingTimes } from './statement-sql.ts';

/**
 * Pending rows that pay an invoice are read again around their own time until they are final, failed, gone or 90 days
 * old: they may be older than every range that a poll reads anyway, and their invoices wait only for them.
 */

/**
 * How often all pending rows of an exchange account are read again, how many of them in one poll, and up to which age.
 */
const PENDING_EVERY_MS = 10 * 60_000;
const MAX_PENDING = 3;
const MAX_AGE_MS = 90 * 24 * 3_600_000;
/** How far before and after its own time a pending row is looked for. */
const AROUND_MS = 1_000;

export const aroundRow = (atMs: number): TimeRange => ({ fromMs: atMs - AROUND_MS, toMs: atMs + AROUND_MS });

/**
 * Times of the pending rows to read next; undefined while none is due. Rows of the last half hour are left out, because
 * polls read all of it again anyway.
 */
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

/**
 * Notes that the pending rows of these times were read. A round through all pending rows ends with a poll that finds
 * fewer of them than one poll may read.
 */
export function notePending(notes: StatementNotes, times: readonly number[], nowMs: number): void {
  const isOver = times.length < MAX_PENDING;
  notes.pendingAfterMs = isOver ? 0 : (times.at(-1) ?? 0);
  notes.pendingReadMs = isOver ? nowMs : undefined;
}

/** The most rows that one poll gives up. */
const MAX_GIVEN_UP = 100;

/**
 * Gives up pending rows that are 90 days old, which no read shows any more: their invoices wait no longer. The caller
 * holds the exchange account's lock.
 */
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
