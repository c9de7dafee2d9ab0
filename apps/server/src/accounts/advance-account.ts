import { inTransaction } from '../db/transaction.ts';
import type { AccountFollower, AccountFollowing, RoundHeads } from './account-follower.ts';
import { keepsEarlier, readerAfter } from './account-read-end.ts';
import type { ChainPosition, AccountRead, AccountTransfer } from '../sources/account-source.ts';
import type { CursorMove, FollowedAccount } from './account-sql.ts';
import { moveAccountCursor, readAccountState } from './account-sql.ts';
import { recordUnreadable } from './record-unreadable.ts';
import { readAccountTransfers } from './read-account-transfers.ts';
import { upsertTransfers } from '../transfers/transfer-sql.ts';

/**
 * The first read of a followed account: transfers that the network has confirmed since the cursor. A first read records
 * payments and settles none.
 */

export type FirstRead = {
  /** The followed account after the read. */
  followed: FollowedAccount;
  /** Whether the read found transfers that were not seen before, which explain changed balances. */
  found: boolean;
  /** Whether the range holds more than one answer can: then the next read goes on. */
  more: boolean;
};

/**
 * Where a first read ends: at the head of the previous poll, which nodes have indexed by now, and further back after
 * every failure. Transfers above that end are recorded too, and read again later. An `exact` source, whose answers are
 * complete at once, is read up to its head.
 */
export function firstReadEnd(
  { cursor, failures }: FollowedAccount,
  { confirmed, past }: RoundHeads,
  exact: boolean,
): ChainPosition {
  if (exact) return confirmed;
  const ahead = past.filter(({ height }) => height > cursor.height);
  return ahead[Math.min(2 ** failures, ahead.length) - 1] ?? confirmed;
}

/** Makes the first read; undefined when another worker committed for the followed account meanwhile. */
export async function advanceAccount(
  follower: AccountFollower,
  followed: FollowedAccount,
  heads: RoundHeads,
): Promise<FirstRead | undefined> {
  const { database, source, count } = follower;
  const { account, cursor, version, covered } = followed;
  const upTo = firstReadEnd(followed, heads, follower.exact);
  if (upTo.height <= cursor.height) return { followed, found: false, more: false };
  const unread = new Set(followed.unread);
  const read = await readAccountTransfers(follower, {
    account,
    after: cursor,
    upTo,
    commitment: 'confirmed',
    pass: 'first',
    unread,
  });
  await follower.failpoint('account:read');
  const keepEarlier = keepsEarlier(followed);
  const readBy = readerAfter(followed, read.by);
  const move: CursorMove = { version, to: read.end, readBy, keepEarlier };
  const more = read.end.height < upTo.height;
  // Transfers at a covered height are left to the second read: recorded by a first read, they would settle without
  // having been seen as final.
  const uncovered = read.transfers.filter((transfer) => transfer.height > (covered?.height ?? 0));
  const network = source.network.id;
  if (uncovered.length === 0 && read.unreadable.length === 0) {
    const newVersion = await moveAccountCursor(database.queries, network, account, move);
    if (newVersion === undefined) return undefined;
    count('dust', read.dust);
    const earlier = keepEarlier ? followed.earlier : cursor;
    const moved = { ...followed, cursor: { ...read.end, ageSeconds: 0 }, earlier, readBy, version: newVersion };
    return { followed: moved, found: false, more };
  }
  const newCount = await commitSeen(follower, account, move, read, uncovered);
  if (newCount === undefined) return undefined;
  count('dust', read.dust);
  const now = await readAccountState(database.queries, network, account);
  return now && { followed: now, found: newCount > 0, more };
}

/** Commits a first read and returns how much was new; undefined when another worker committed meanwhile. */
async function commitSeen(
  follower: AccountFollowing,
  account: string,
  move: CursorMove,
  { unreadable, by }: AccountRead,
  uncovered: readonly AccountTransfer[],
): Promise<number | undefined> {
  const { database, clock, source, failpoint } = follower;
  const network = source.network.id;
  await failpoint('account:before-commit');
  const newCount = await inTransaction(database, async (tx) => {
    // `moveAccountCursor` does nothing if the version has changed; otherwise it locks the followed account until the
    // commit.
    if ((await moveAccountCursor(tx, network, account, move)) === undefined) return undefined;
    const changed = await upsertTransfers(tx, network, uncovered, new Date(clock.nowMs()), by);
    await recordUnreadable(tx, follower, account, unreadable);
    await failpoint('account:recorded');
    await follower.apply(tx, network, changed);
    await failpoint('account:in-commit');
    return changed.length + unreadable.length;
  });
  await failpoint('account:after-commit');
  return newCount;
}
