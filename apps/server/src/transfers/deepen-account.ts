import { inTransaction } from '../db/transaction.ts';
import type { AccountFollower, AccountHeads } from './account-follower.ts';
import type { AccountMark, AccountRequest, AccountTransfer } from './account-source.ts';
import type { FollowedAccount } from './account-store.ts';
import { coverAccount, doubtAccount, lockVersion, moveAccountCursor, moveQuietly } from './account-store.ts';
import type { FirstLook } from './advance-account.ts';
import { SourceError } from './chain-source.ts';
import { isFrozen } from './chain-store.ts';
import { readHits } from './select-account-hits.ts';
import { readAccountTransfers, revertTransfers, upsertTransfers } from './transfer-store.ts';

/**
 * The second look at an account: the range again, as the network calls it final, from another provider where there is
 * one. Only it settles payments and covers the account. What the first look saw and this one does not is gone.
 */

/** One stale answer is no fork: what vanished must stay away so long, from every provider. */
const DOUBT_MS = 10_000;

export type SecondLook = { covered: AccountMark; more: boolean };

type Placed = Pick<AccountTransfer, 'txId' | 'index' | 'height' | 'units'>;
const identity = ({ txId, index }: Placed) => `${txId} ${index}`;
const place = (transfer: Placed) => `${identity(transfer)} ${transfer.height} ${transfer.units}`;

/** Of what is stored, that which an answer lacks. */
export function lackedBy<Stored extends Placed>(hits: readonly Placed[], stored: readonly Stored[]): Stored[] {
  const present = new Set(hits.map(identity));
  return stored.filter((transfer) => !present.has(identity(transfer)));
}

/** Stores how far a first look came that found nothing and that no second one follows. */
export async function keepCursor(
  { database, source }: AccountFollower,
  { account, covered, cursor }: FollowedAccount,
  first: FirstLook,
): Promise<void> {
  if (!covered || first.cursor.height <= cursor.height) return;
  const move = { version: first.version, cursor: first.cursor, covered };
  await moveQuietly(database.queries, source.network.symbol, account, move);
}

/** Undefined when another worker committed for the account meanwhile, or the network is frozen. */
export async function deepenAccount(
  follower: AccountFollower,
  followed: FollowedAccount,
  first: FirstLook,
  heads: AccountHeads,
): Promise<SecondLook | undefined> {
  const { database, source } = follower;
  const network = source.network.symbol;
  const { account, covered } = followed;
  if (!covered) throw new Error(`${account} has no height to go on from.`);
  const target = heads.finalized.height <= first.cursor.height ? heads.finalized : first.cursor;
  if (target.height <= covered.height) {
    await keepCursor(follower, followed, first);
    return { covered, more: false };
  }
  const request: AccountRequest = {
    account,
    after: covered.height,
    upTo: target,
    commitment: 'finalized',
    pass: 'second',
  };
  const read = await readHits(follower, request);
  const stored = await readAccountTransfers(database.queries, network, account, covered.height, read.end.height);
  if (read.transfers.length === 0 && stored.length === 0) {
    const move = { version: first.version, cursor: first.cursor, covered: read.end };
    await moveQuietly(database.queries, network, account, move);
    return { covered: read.end, more: read.end.height < target.height };
  }
  if (lackedBy(read.transfers, stored).length > 0) await requireGone(follower, followed, request, read.end, stored);
  const committed = await commitFinal(follower, followed, first, read.end, read.transfers);
  return committed ? { covered: read.end, more: read.end.height < target.height } : undefined;
}

/** Throws unless the other provider lacks it too, and has done so for a while: the account is not covered before. */
async function requireGone(
  follower: AccountFollower,
  followed: FollowedAccount,
  request: AccountRequest,
  end: AccountMark,
  stored: readonly Placed[],
): Promise<void> {
  const { database, source, clock, counts } = follower;
  const other = await readHits(follower, { ...request, upTo: end, pass: 'first' });
  const gone = lackedBy(other.transfers, stored);
  const nowMs = clock.nowMs();
  const since = followed.doubtedMs;
  if (gone.length > 0 && since !== undefined && nowMs - since >= DOUBT_MS) return;
  if (since === undefined) counts.disagreements += 1;
  if (gone.length > 0) await doubtAccount(database.queries, source.network.symbol, followed.account, new Date(nowMs));
  throw new SourceError('inconsistent', `The second look at ${followed.account} lacks a transfer that the first saw.`);
}

async function commitFinal(
  follower: AccountFollower,
  { account, covered }: FollowedAccount,
  first: FirstLook,
  end: AccountMark,
  hits: readonly AccountTransfer[],
): Promise<boolean> {
  const { database, clock, source, counts, failpoint, log } = follower;
  const network = source.network.symbol;
  await failpoint('account:before-cover');
  const gone = await inTransaction(database, async (tx) => {
    if (!(await lockVersion(tx, network, account, first.version)) || (await isFrozen(tx, network))) return undefined;
    const stored = await readAccountTransfers(tx, network, account, covered?.height ?? 0, end.height);
    const known = new Set(stored.map(place));
    const missed = hits.filter((hit) => !known.has(place(hit)));
    const lost = lackedBy(hits, stored).map((transfer) => transfer.id);
    await revertTransfers(tx, lost);
    const found = await upsertTransfers(tx, network, missed, new Date(clock.nowMs()));
    await moveAccountCursor(tx, network, account, first.cursor);
    await coverAccount(tx, network, account, end);
    await failpoint('account:covered');
    await follower.apply(tx, network, [...new Set([...stored.map((transfer) => transfer.id), ...found])]);
    await failpoint('account:in-cover');
    counts.disagreements += found.length;
    return lost.length;
  });
  await failpoint('account:after-cover');
  if (gone === undefined) return false;
  if (gone > 0) {
    counts.rewinds += 1;
    log.warn({ network, account, transfers: gone }, 'confirmed payments are gone');
  }
  return true;
}
