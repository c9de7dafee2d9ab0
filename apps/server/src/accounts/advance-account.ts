import { inTransaction } from '../db/transaction.ts';
import type { AccountFollower, AccountFollowing, RoundHeads } from './account-follower.ts';
import { keepsEarlier, readerAfter } from './account-read-end.ts';
import type { ChainPosition, AccountRead, AccountTransfer } from '../sources/account-source.ts';
import type { CursorMove, FollowedAccount } from './account-sql.ts';
import { moveAccountCursor, readAccountState } from './account-sql.ts';
import { recordUnreadable } from './record-unreadable.ts';
import { readAccountTransfers } from './read-account-transfers.ts';
import { upsertTransfers } from '../transfers/transfer-sql.ts';

export type FirstRead = {
  followed: FollowedAccount;
  /** Records transfers confirmed since the cursor; settles none. */
  found: boolean;
  /** Whether the range has more than one answer holds; the next read continues. */
  more: boolean;
};

/**
 * A first read ends at the previous poll's head, which nodes have indexed by now, and further back after each failure.
 * Transfers above are recorded and read again later. An `exact` source is read up to its head.
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

/** Makes the first read; undefined when another worker committed first. */
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
  // Transfers at a covered height are left to the second read: they would settle without having been seen as final.
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
    // Locks the account until the commit, if the version is unchanged.
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
