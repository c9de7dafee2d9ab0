import { inTransaction } from '../db/transaction.ts';
import type { AccountFollower, RoundHeads } from './account-follower.ts';
import { askOthers } from '../chains/ask-others.ts';
import { lowerMark, secondReadWays } from './account-read-end.ts';
import type { AccountMark, AccountRead, AccountRequest, AccountTransfer } from '../sources/account-source.ts';
import type { FollowedAccount } from './account-sql.ts';
import { moveAccountCoverage, coverUnchanged, markMissing, lockVersion } from './account-sql.ts';
import type { Pass } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import { isFrozen } from '../chains/chain-sql.ts';
import { recordUnreadable } from './record-unreadable.ts';
import { readAccountTransfers } from './read-account-transfers.ts';
import { noteDispute, requireAgreed } from './require-agreed.ts';
import type { PlacedTransfer } from '../transfers/transfer-sql.ts';
import { readTransfersOfAccount, revertTransfers, upsertTransfers } from '../transfers/transfer-sql.ts';
import { readHeldAt } from './unreadable-sql.ts';

/**
 * The second read of an account: the range again, as the network calls it final, by another provider than the one that read
 * it first or long enough after it. Only it covers the account. What the first read saw and this one does not is gone.
 */

/** One stale answer is no fork: what vanished must stay away so long, from every provider. */
const DOUBT_MS = 10_000;

export type SecondRead = { covered: AccountMark; more: boolean };

type Placed = Pick<AccountTransfer, 'txId' | 'index' | 'height' | 'units'>;
const identity = ({ txId, index }: Placed) => `${txId} ${index}`;
const place = (transfer: Placed) => `${identity(transfer)} ${transfer.height} ${transfer.units}`;

/** Of what is stored, that which an answer lacks. */
export function missingFrom<Stored extends Placed>(hits: readonly Placed[], stored: readonly Stored[]): Stored[] {
  const present = new Set(hits.map(identity));
  return stored.filter((transfer) => !present.has(identity(transfer)));
}

/**
 * Transfers of a read, up to a height, that rest on the word of its provider alone: either no row holds them, or the row
 * came from the same provider and nobody has proven or accepted it.
 */
function ownWords(
  { transfers, by }: AccountRead,
  stored: readonly PlacedTransfer[],
  { height }: AccountMark,
): AccountTransfer[] {
  const rows = new Map(stored.map((row) => [place(row), row]));
  return transfers.filter((hit) => {
    if (hit.height > height) return false;
    const row = rows.get(place(hit));
    return !row || (!row.proven && !row.accepted && row.readBy === (hit.shownBy ?? by));
  });
}

type Again = { request: AccountRequest; read: AccountRead; covered: AccountMark };

/** What two providers show of the same range, up to where both are complete. */
function mergeReads(one: AccountRead, other: AccountRead): AccountRead {
  const end = lowerMark(one.end, other.end);
  const known = new Set(one.transfers.map(place));
  const more = other.transfers.filter((hit) => !known.has(place(hit)));
  const transfers = [...one.transfers, ...more.map((hit) => Object.assign({ shownBy: other.by }, hit))];
  const unreadable = new Map([...one.unreadable, ...other.unreadable].map((fault) => [fault.txId, fault]));
  return {
    transfers: transfers.filter(({ height }) => height <= end.height),
    end,
    unreadable: [...unreadable.values()].filter(({ height }) => height <= end.height),
    by: one.by,
  };
}

/**
 * By another provider than the one that read first; where several did, by two of them, because none is the other one. After
 * a minute of the others' silence by whoever answers, if the first read is old enough. Undefined when nothing may be covered.
 */
async function readAgain(
  follower: AccountFollower,
  followed: FollowedAccount,
  { finalized }: RoundHeads,
): Promise<Again | undefined> {
  const { source, secondReadAgeSeconds: ageSeconds } = follower;
  const { account, covered, readBy } = followed;
  if (!covered) throw new Error(`${account} has no height to go on from.`);
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

/** Undefined when another worker committed for the account meanwhile, or the network is frozen. */
export async function coverAccount(
  follower: AccountFollower,
  followed: FollowedAccount,
  heads: RoundHeads,
): Promise<SecondRead | undefined> {
  const { database, source } = follower;
  const network = source.network.symbol;
  const { account, version, heldAt } = followed;
  const again = await readAgain(follower, followed, heads);
  if (!again) return followed.covered && { covered: followed.covered, more: false };
  const { request, read, covered } = again;
  const end = lowerMark(read.end, heldAt ?? read.end);
  const more = heldAt === undefined && end.height < request.upTo.height;
  const stored = await readTransfersOfAccount(database.queries, network, account, covered.height, end.height);
  const isWhole = missingFrom(read.transfers, stored).length === 0;
  if (isWhole) noteDoubts(follower, account, stored, []);
  if (read.transfers.length === 0 && stored.length === 0 && read.unreadable.length === 0) {
    await coverUnchanged(database.queries, network, account, { version, to: end });
    return { covered: end, more };
  }
  if (!isWhole) await requireMissingEverywhere(follower, followed, again, stored);
  const own = ownWords(read, stored, end);
  await requireAgreed(follower, account, { transfers: own, by: read.by });
  const coveredTo = await commitFinal(follower, followed, again, end, new Set(own.map(place)));
  return coveredTo && { covered: coveredTo, more: more && coveredTo.height === end.height };
}

/** Of these, which the same provider does not show by themselves either: a list may have a hole where a transaction has none. */
async function withoutShown<Stored extends Placed>(
  { source }: AccountFollower,
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

/**
 * Of payments that a read should show, notes those that are gone; returns since when the one is missed that this process
 * has missed for the shortest time. One that was shown meanwhile is doubted anew, however long another has been.
 */
function noteDoubts(
  { doubts, clock }: AccountFollower,
  account: string,
  stored: readonly Placed[],
  gone: readonly Placed[],
): number {
  const known = doubts.get(account) ?? new Map<string, number>();
  const missed = new Map(gone.map((one) => [identity(one), known.get(identity(one)) ?? clock.nowMs()]));
  const asked = new Set(stored.map(identity));
  const noted = new Map([...[...known].filter(([one]) => !asked.has(one)), ...missed]);
  if (noted.size > 0) doubts.set(account, noted);
  else doubts.delete(account);
  return Math.max(...missed.values());
}

/** Throws unless the other provider lacks it too, and has done so for a while: the account is not covered before. */
async function requireMissingEverywhere(
  follower: AccountFollower,
  followed: FollowedAccount,
  { request, read }: Again,
  stored: readonly Placed[],
): Promise<void> {
  const { database, source, clock, counts } = follower;
  const ask = async (pass: Pass) => ({
    pass,
    read: await readAccountTransfers(follower, { ...request, upTo: read.end, pass }),
  });
  const others = source.providers.length > 1 ? await askOthers(follower, read.by, ask) : undefined;
  const { pass, read: other } = others?.answered === true ? others.answer : await ask('first');
  const lacked = await withoutShown(follower, followed.account, missingFrom(other.transfers, stored), pass);
  const gone = await withoutShown(follower, followed.account, missingFrom(read.transfers, lacked), request.pass);
  const nowMs = clock.nowMs();
  const missedSince = noteDoubts(follower, followed.account, stored, gone);
  const { doubtedMs } = followed;
  // Where one that is lacked is there all the same, the list has holes: by such a list nothing is taken back.
  const areAll = gone.length === missingFrom(read.transfers, stored).length;
  if (areAll && doubtedMs !== undefined && nowMs - Math.max(missedSince, doubtedMs) >= DOUBT_MS) {
    follower.doubts.delete(followed.account);
    return;
  }
  if (doubtedMs === undefined) counts.disagreements += 1;
  const [shown] = missingFrom(gone, missingFrom(read.transfers, stored));
  if (shown) await noteDispute(follower, shown.txId, { account: followed.account, lackedBy: read.by });
  if (gone.length > 0) await markMissing(database.queries, source.network.symbol, followed.account, new Date(nowMs));
  throw new SourceError('inconsistent', `The second read of ${followed.account} lacks a transfer that the first saw.`);
}

/** Returns up to where the account is covered now: `upTo`, or less when something below it could not be read. */
async function commitFinal(
  follower: AccountFollower,
  { account, version }: FollowedAccount,
  { read, covered }: Again,
  upTo: AccountMark,
  agreed: ReadonlySet<string>,
): Promise<AccountMark | undefined> {
  const { database, clock, source, counts, failpoint, log } = follower;
  const network = source.network.symbol;
  await failpoint('account:before-cover');
  const outcome = await inTransaction(database, async (tx) => {
    if (!(await lockVersion(tx, network, account, version)) || (await isFrozen(tx, network))) return undefined;
    await recordUnreadable(tx, follower, account, read.unreadable);
    const end = lowerMark(upTo, (await readHeldAt(tx, network, account, covered.height)) ?? upTo);
    const stored = await readTransfersOfAccount(tx, network, account, covered.height, end.height);
    const known = new Set(stored.map(place));
    const missed = read.transfers.filter((hit) => !known.has(place(hit)));
    if (ownWords(read, stored, end).some((hit) => !agreed.has(place(hit)))) return undefined;
    const lost = missingFrom(read.transfers, stored).map((transfer) => transfer.id);
    await revertTransfers(tx, lost);
    const found = await upsertTransfers(tx, network, missed, new Date(clock.nowMs()), read.by);
    await moveAccountCoverage(tx, network, account, end);
    await failpoint('account:covered');
    await follower.apply(tx, network, [...new Set([...stored.map((transfer) => transfer.id), ...found])]);
    await failpoint('account:in-cover');
    counts.disagreements += found.length;
    return { end, gone: lost.length };
  });
  await failpoint('account:after-cover');
  if (outcome && outcome.gone > 0) {
    counts.rewinds += 1;
    log.warn({ network, account, transfers: outcome.gone }, 'confirmed payments are gone');
  }
  return outcome?.end;
}
