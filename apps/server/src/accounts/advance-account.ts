import { inTransaction } from '../db/transaction.ts';
import type { AccountFollower, RoundHeads } from './account-follower.ts';
import { keepsEarlier, readerAfter } from './account-read-end.ts';
import type { AccountMark, AccountRead, AccountTransfer } from '../sources/account-source.ts';
import type { CursorMove, FollowedAccount } from './account-sql.ts';
import { moveAccountCursor, readAccountState } from './account-sql.ts';
import { recordUnreadable } from './record-unreadable.ts';
import { readAccountTransfers } from './read-account-transfers.ts';
import { upsertTransfers } from '../transfers/transfer-sql.ts';

/** The first read of an account: what the network has confirmed since the cursor. It shows payments; it settles none. */

export type FirstRead = {
  /** As it is after the read. */
  followed: FollowedAccount;
  /** Whether something new was there that explains why the account holds something else. What was seen before does not. */
  found: boolean;
  /** There is more to read than one answer holds. */
  more: boolean;
};

/**
 * Where a first read ends: at the head of the poll before, which nodes have written down by now, or further back after
 * every failure. What is newer is shown all the same, and read again.
 */
export function firstReadEnd({ cursor, failures }: FollowedAccount, { confirmed, past }: RoundHeads): AccountMark {
  const ahead = past.filter(({ height }) => height > cursor.height);
  return ahead[Math.min(2 ** failures, ahead.length) - 1] ?? confirmed;
}

/** Undefined when another worker committed for the account meanwhile. */
export async function advanceAccount(
  follower: AccountFollower,
  followed: FollowedAccount,
  heads: RoundHeads,
): Promise<FirstRead | undefined> {
  const { database, source } = follower;
  const { account, cursor, version, covered } = followed;
  const upTo = firstReadEnd(followed, heads);
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
  const keepEarlier = keepsEarlier(followed);
  const readBy = readerAfter(followed, read.by);
  const move: CursorMove = { version, to: read.end, readBy, keepEarlier };
  const more = read.end.height < upTo.height;
  // What stands at a covered height would settle without having been seen as final: that is for the second read.
  const hits = read.transfers.filter((transfer) => transfer.height > (covered?.height ?? 0));
  const network = source.network.symbol;
  if (hits.length === 0 && read.unreadable.length === 0) {
    const newVersion = await moveAccountCursor(database.queries, network, account, move);
    if (newVersion === undefined) return undefined;
    follower.counts.dust += read.dust;
    const earlier = keepEarlier ? followed.earlier : cursor;
    const moved = { ...followed, cursor: { ...read.end, ageSeconds: 0 }, earlier, readBy, version: newVersion };
    return { followed: moved, found: false, more };
  }
  const news = await commitSeen(follower, account, move, read, hits);
  if (news === undefined) return undefined;
  follower.counts.dust += read.dust;
  const now = await readAccountState(database.queries, network, account);
  return now && { followed: now, found: news > 0, more };
}

/** How much of it was new; undefined when another worker committed for the account meanwhile. */
async function commitSeen(
  follower: AccountFollower,
  account: string,
  move: CursorMove,
  { unreadable, by }: AccountRead,
  hits: readonly AccountTransfer[],
): Promise<number | undefined> {
  const { database, clock, source, failpoint } = follower;
  const network = source.network.symbol;
  await failpoint('account:before-commit');
  const news = await inTransaction(database, async (tx) => {
    // Compares the version and takes the account's lock.
    if ((await moveAccountCursor(tx, network, account, move)) === undefined) return undefined;
    const changed = await upsertTransfers(tx, network, hits, new Date(clock.nowMs()), by);
    await recordUnreadable(tx, follower, account, unreadable);
    await failpoint('account:recorded');
    await follower.apply(tx, network, changed);
    await failpoint('account:in-commit');
    return changed.length + unreadable.length;
  });
  await failpoint('account:after-commit');
  return news;
}
