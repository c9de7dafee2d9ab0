import { inTransaction } from '../db/transaction.ts';
import type { AccountFollower, AccountFollowing, RoundHeads } from './account-follower.ts';
import { askOthers } from '../chains/ask-others.ts';
import { trustsAges } from '../chains/database-clock.ts';
import { lowerPosition, secondReadWays } from './account-read-end.ts';
import type { ChainPosition, AccountRead, AccountRequest, AccountTransfer } from '../sources/account-source.ts';
import type { FollowedAccount } from './account-sql.ts';
import { isHalted, moveAccountCoverage, coverUnchanged, markMissing, lockVersion } from './account-sql.ts';
import type { Pass } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import { recordUnreadable } from './record-unreadable.ts';
import { readAccountTransfers } from './read-account-transfers.ts';
import { noteDispute, requireAgreed } from './require-agreed.ts';
import type { PlacedTransfer } from '../transfers/transfer-sql.ts';
import { readTransfersOfAccount, revertTransfers, upsertTransfers } from '../transfers/transfer-sql.ts';
import { readCoverLimit } from './unreadable-sql.ts';

/**
 * The second read: the same range as final, from another provider or long enough after the first. Only second reads
 * move coverage. A stored transfer that no provider shows any longer is gone.
 */

/** How long every provider must miss a transfer before it is reverted: one outdated answer proves no fork. */
const MISSING_MS = 10_000;

export type SecondRead = { covered: ChainPosition; more: boolean };

type ListedTransfer = Pick<AccountTransfer, 'txId' | 'index' | 'height' | 'units'>;
const identity = ({ txId, index }: ListedTransfer) => `${txId} ${index}`;
const positionKey = (transfer: ListedTransfer) => `${identity(transfer)} ${transfer.height} ${transfer.units}`;

function missingFrom<Stored extends ListedTransfer>(
  shown: readonly ListedTransfer[],
  stored: readonly Stored[],
): Stored[] {
  const present = new Set(shown.map(identity));
  return stored.filter((transfer) => !present.has(identity(transfer)));
}

/** Transfers up to a height that only this read's provider confirms, without receipt or operator's acceptance. */
function unconfirmedTransfers(
  { transfers, by }: AccountRead,
  stored: readonly PlacedTransfer[],
  { height }: ChainPosition,
): AccountTransfer[] {
  const rows = new Map(stored.map((row) => [positionKey(row), row]));
  return transfers.filter((transfer) => {
    if (transfer.height > height) return false;
    const row = rows.get(positionKey(transfer));
    return !row || (!row.proven && !row.accepted && row.readBy === (transfer.shownBy ?? by));
  });
}

type Reread = { request: AccountRequest; read: AccountRead; covered: ChainPosition };

/** Merges two providers' reads up to the height where both are complete. */
function mergeReads(one: AccountRead, other: AccountRead): AccountRead {
  const end = lowerPosition(one.end, other.end);
  const known = new Set(one.transfers.map(positionKey));
  const more = other.transfers.filter((transfer) => !known.has(positionKey(transfer)));
  const transfers = [...one.transfers, ...more.map((transfer) => Object.assign({ shownBy: other.by }, transfer))];
  const unreadable = new Map([...one.unreadable, ...other.unreadable].map((fault) => [fault.txId, fault]));
  return {
    transfers: transfers.filter(({ height }) => height <= end.height),
    end,
    unreadable: [...unreadable.values()].filter(({ height }) => height <= end.height),
    by: one.by,
  };
}

/**
 * Reads by another provider than the first reader or, after several first readers, by two providers. If the others have
 * been silent for a minute, any provider may, once the first read is old enough. Undefined when nothing may be covered.
 */
async function readAgain(
  follower: AccountFollower,
  followed: FollowedAccount,
  { finalized }: RoundHeads,
): Promise<Reread | undefined> {
  const { source, memory, steady } = follower;
  const ageSeconds = trustsAges(memory, steady) ? follower.secondReadAgeSeconds : Number.POSITIVE_INFINITY;
  const { account, covered, readBy } = followed;
  if (!covered) throw new Error(`${account} has no height to continue from.`);
  const unread = new Set(followed.unread);
  for (const { upTo, pass } of secondReadWays(followed, { finalized, ageSeconds, providers: source.providers })) {
    const request: AccountRequest = { account, after: covered, upTo, commitment: 'finalized', pass, unread };
    if (typeof pass === 'object' && readBy !== undefined) {
      const others = await askOthers(follower, readBy, (not) =>
        readAccountTransfers(follower, { ...request, pass: not }),
      );
      if (others.answered) return { request, read: others.answer, covered };
      continue;
    }
    const read = await readAccountTransfers(follower, request);
    if (source.providers.length < 2 || readBy !== undefined) return { request, read, covered };
    const others = await askOthers(follower, read.by, (not) =>
      readAccountTransfers(follower, { ...request, upTo: read.end, pass: not }),
    );
    return { request, read: others.answered ? mergeReads(read, others.answer) : read, covered };
  }
  return undefined;
}

/** Undefined when another worker committed first, the network is frozen, or the account is stopped. */
export async function coverAccount(
  follower: AccountFollower,
  followed: FollowedAccount,
  heads: RoundHeads,
): Promise<SecondRead | undefined> {
  const { database, source } = follower;
  const network = source.network.id;
  const { account, version, coverLimit } = followed;
  const reread = await readAgain(follower, followed, heads);
  if (!reread) return followed.covered && { covered: followed.covered, more: false };
  const { request, read, covered } = reread;
  await follower.failpoint('account:reread');
  const end = lowerPosition(read.end, coverLimit ?? read.end);
  const more = coverLimit === undefined && end.height < request.upTo.height;
  const stored = await readTransfersOfAccount(database.queries, network, account, covered.height, end.height);
  const isComplete = missingFrom(read.transfers, stored).length === 0;
  if (isComplete) noteMissing(follower, account, stored, []);
  if (read.transfers.length === 0 && stored.length === 0 && read.unreadable.length === 0) {
    await coverUnchanged(database.queries, network, account, { version, to: end });
    return { covered: end, more };
  }
  if (!isComplete && !follower.exact) await requireMissingEverywhere(follower, followed, reread, stored);
  const unconfirmed = unconfirmedTransfers(read, stored, end);
  await requireAgreed(follower, account, { transfers: unconfirmed, by: read.by });
  const coveredTo = await commitFinal(follower, followed, reread, end, new Set(unconfirmed.map(positionKey)));
  return coveredTo && { covered: coveredTo, more: more && coveredTo.height === end.height };
}

/** Missing transfers that the provider does not show by transaction id either: its list may be incomplete. */
async function stillMissing<Stored extends ListedTransfer>(
  { source }: AccountFollowing,
  account: string,
  lacked: readonly Stored[],
  pass: Pass,
): Promise<Stored[]> {
  if (lacked.length === 0) return [];
  const txIds = [...new Set(lacked.map(({ txId }) => txId))];
  const { transactions } = await source.readTransactions({ account, txIds, commitment: 'finalized', pass });
  return missingFrom(
    transactions.flatMap((one) => (one.outcome === 'read' ? one.transfers : [])),
    lacked,
  );
}

/** Records missing transfers; returns since when the newest one is missing. Reappeared ones restart their time. */
function noteMissing(
  { clock, memory: { missingSince } }: AccountFollower,
  account: string,
  stored: readonly ListedTransfer[],
  gone: readonly ListedTransfer[],
): number {
  const known = missingSince.get(account) ?? new Map<string, number>();
  const missed = new Map(gone.map((one) => [identity(one), known.get(identity(one)) ?? clock.nowMs()]));
  const asked = new Set(stored.map(identity));
  const noted = new Map([...[...known].filter(([one]) => !asked.has(one)), ...missed]);
  if (noted.size > 0) missingSince.set(account, noted);
  else missingSince.delete(account);
  return Math.max(...missed.values());
}

/** Throws unless the transfers have been missing for a while and from another provider too. */
async function requireMissingEverywhere(
  follower: AccountFollower,
  followed: FollowedAccount,
  { request, read }: Reread,
  stored: readonly ListedTransfer[],
): Promise<void> {
  const { database, source, clock, count, memory } = follower;
  const ask = async (pass: Pass) => ({
    pass,
    read: await readAccountTransfers(follower, { ...request, upTo: read.end, pass }),
  });
  const others = source.providers.length > 1 ? await askOthers(follower, read.by, ask) : undefined;
  const { pass, read: other } = others?.answered === true ? others.answer : await ask('first');
  const lacked = await stillMissing(follower, followed.account, missingFrom(other.transfers, stored), pass);
  const gone = await stillMissing(follower, followed.account, missingFrom(read.transfers, lacked), request.pass);
  const nowMs = clock.nowMs();
  const missedSince = noteMissing(follower, followed.account, stored, gone);
  const { missingSinceMs } = followed;
  // A read that lacks a transfer that some provider still shows is incomplete, so no transfer counts as gone.
  const areAllGone = gone.length === missingFrom(read.transfers, stored).length;
  if (areAllGone && missingSinceMs !== undefined && nowMs - Math.max(missedSince, missingSinceMs) >= MISSING_MS) {
    memory.missingSince.delete(followed.account);
    return;
  }
  if (missingSinceMs === undefined) count('disagreements');
  const [shown] = missingFrom(gone, missingFrom(read.transfers, stored));
  if (shown) await noteDispute(follower, shown.txId, { account: followed.account, lackedBy: read.by });
  if (gone.length > 0) await markMissing(database.queries, source.network.id, followed.account, new Date(nowMs));
  throw new SourceError('inconsistent', `The second read of ${followed.account} lacks a transfer that the first saw.`);
}

async function commitFinal(
  follower: AccountFollowing,
  { account, version }: FollowedAccount,
  { read, covered }: Reread,
  upTo: ChainPosition,
  agreed: ReadonlySet<string>,
): Promise<ChainPosition | undefined> {
  const { database, clock, source, count, failpoint, log } = follower;
  const network = source.network.id;
  await failpoint('account:before-cover');
  const outcome = await inTransaction(database, async (tx) => {
    if (!(await lockVersion(tx, network, account, version)) || (await isHalted(tx, network, account))) return undefined;
    await recordUnreadable(tx, follower, account, read.unreadable);
    const end = lowerPosition(upTo, (await readCoverLimit(tx, network, account, covered.height)) ?? upTo);
    const stored = await readTransfersOfAccount(tx, network, account, covered.height, end.height);
    const known = new Set(stored.map(positionKey));
    const missed = read.transfers.filter((transfer) => !known.has(positionKey(transfer)));
    if (unconfirmedTransfers(read, stored, end).some((transfer) => !agreed.has(positionKey(transfer))))
      return undefined;
    const lost = missingFrom(read.transfers, stored).map((transfer) => transfer.id);
    await revertTransfers(tx, lost);
    const found = await upsertTransfers(tx, network, missed, new Date(clock.nowMs()), read.by);
    await moveAccountCoverage(tx, network, account, end);
    await failpoint('account:covered');
    await follower.apply(tx, network, [...new Set([...stored.map((transfer) => transfer.id), ...found])]);
    await failpoint('account:in-cover');
    count('disagreements', found.length);
    return { end, gone: lost.length };
  });
  await failpoint('account:after-cover');
  if (outcome && outcome.gone > 0) {
    count('rewinds');
    log.warn({ network, account, transfers: outcome.gone }, 'confirmed payments are gone');
  }
  return outcome?.end;
}
