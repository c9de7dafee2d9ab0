import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import { dateFromUnix } from '../lib/clock.ts';
import { coinOf } from '../networks/network.ts';
import { TRANSFERS_PER_COMMIT } from './advance-head.ts';
import { agreeOnDepth } from './agree-on-depth.ts';
import { askOthers } from './ask-others.ts';
import type { ChainRead, ChainSource, Pass } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { ChainState, Coverage } from './chain-sql.ts';
import { lockChain, moveCoverage, readBlocksDown } from './chain-sql.ts';
import type { Differences } from './compare-reads.ts';
import { compareReads, findUnstored } from './compare-reads.ts';
import { dropCoinDust } from '../transfers/drop-coin-dust.ts';
import type { Follower, Following } from './follower.ts';
import { markCovered } from './proof-sql.ts';
import { findAgedEnd } from './find-aged-end.ts';
import { deleteCoveredEnds, readRunEnd } from './read-end-sql.ts';
import type { SecondRead } from './second-read.ts';
import { currentWatch, loadWatch, placeTransfers, filterTransfers } from './filter-transfers.ts';
import { settleDifferences } from './settle-differences.ts';
import { raiseReadAlarms } from './raise-read-alarms.ts';
import { growRange, rangeOf } from './block-range.ts';
import type { BlockRef, StoredTransfer } from '../sources/transfer.ts';
import { NATIVE_INDEX } from '../sources/transfer.ts';
import type { Evidence, PlacedTransfer } from '../transfers/transfer-sql.ts';
import { readTransfersBetween, recordTransfers, revertTransfers } from '../transfers/transfer-sql.ts';
import { hasNativeQuotes, readWatchVersion } from './watch-sql.ts';

/**
 * Covers a tier: makes the second read of blocks that have reached the tier's depth and were first read long enough
 * ago, and compares the blocks with what is stored. Only blocks read twice are covered, and invoices expire only behind
 * coverage.
 */

/** The last block of a second read, and the providers that made the first reads up to that block. */
type Target = { block: BlockRef; readBy: (string | null)[] };

/**
 * Finds how far the second read may go: to the highest stored header, so that both reads end at the same hash. Far
 * below the final block stored headers lie further apart than one read reaches; there the first provider is asked for a
 * header.
 */
async function findTarget(
  follower: Follower,
  cursor: ChainState,
  coverage: Coverage,
  settled: number,
): Promise<Target | undefined> {
  const { database, source, memory } = follower;
  const network = source.network.id;
  const wanted = Math.min(settled, cursor.height, coverage.height + rangeOf(memory.ranges, coverage.tier));
  if (wanted <= coverage.height) return undefined;
  const aged = await findAgedEnd(follower, coverage.height, wanted);
  if (!aged) return undefined;
  const runEnd = aged.readBy.length > 1 ? await readRunEnd(database.queries, network, coverage.height) : null;
  // The second read is cut where the first reads change from one provider to another, so that another provider can read
  // each part again.
  if (runEnd !== null && runEnd < wanted) return findTarget(follower, cursor, coverage, runEnd);
  const reach = Math.min(wanted, aged.height);
  const [header] = await readBlocksDown(database.queries, network, reach, 1);
  const block = header && header.height > coverage.height ? header : await source.blockAt(reach, 'first');
  return block ? { block, readBy: aged.readBy } : undefined;
}

/**
 * Finds the last block of the second read, no higher than another provider calls settled. Throws when the other
 * provider calls no block above coverage settled.
 */
async function findAgreedTarget(
  follower: Follower,
  cursor: ChainState,
  coverage: Coverage,
  settled: number,
): Promise<Target | undefined> {
  const target = await findTarget(follower, cursor, coverage, settled);
  if (!target) return undefined;
  const agreed = await agreeOnDepth(follower, cursor, coverage.tier, target.block.height);
  if (agreed >= target.block.height) return target;
  if (agreed <= coverage.height)
    throw new SourceError(
      'inconsistent',
      `Only one provider calls ${coverage.height + 1} settled by ${coverage.tier}.`,
    );
  return findTarget(follower, cursor, coverage, agreed);
}

type Question = { from: number; to: number; native: boolean };
type Answer = { read: ChainRead; how: Evidence['how'] };

/**
 * Makes the second read: block by block, which does not depend on the index that answered the first read, and from
 * another provider where one exists and answers. Two providers asked for the same logs may lack the same log.
 */
async function readAgain(follower: Follower, question: Question, readBy: Target['readBy']): Promise<Answer> {
  const { source } = follower;
  const byBlocks = async (pass: Pass): Promise<Answer> => ({
    read: await source.readBlocks({ ...question, headers: 'ends', pass }),
    how: 'blocks',
  });
  const [only] = readBy;
  if (source.providers.length < 2 || readBy.length !== 1 || only === null || only === undefined)
    return byBlocks('first');
  const others = await askOthers(follower, only, byBlocks);
  return others.answered ? others.answer : byBlocks('first');
}

export async function coverTier(
  follower: Follower,
  cursor: ChainState,
  coverage: Coverage,
  settled: number,
): Promise<boolean> {
  const target = await findAgreedTarget(follower, cursor, coverage, settled);
  if (!target) return false;
  const { source, database, failpoint } = follower;
  await failpoint('tier:agreed');
  const network = source.network.id;
  const coin = coinOf(source.network)?.symbol;
  const stored = await readTransfersBetween(database.queries, network, coverage.height, target.block.height);
  const coinsStored = stored.some((transfer) => transfer.index === NATIVE_INDEX);
  // Whole blocks are read if the amount of a coin quote was open or quarantined after the coverage's time. The cursor's
  // time would be too late: an amount whose quarantine ended in between may have been paid before.
  const since = dateFromUnix(coverage.time);
  const native = coin !== undefined && (coinsStored || (await hasNativeQuotes(database.queries, network, coin, since)));
  const watch = await currentWatch(follower);
  const question = { from: coverage.height + 1, to: target.block.height, native };
  const { read, how } = await readAgain(follower, question, target.readBy);
  await raiseReadAlarms(follower, read, question.to, coverage.tier);
  if (read.blocks.at(-1)?.hash !== target.block.hash) {
    throw new SourceError('inconsistent', `Two reads of ${target.block.height} show different blocks.`);
  }
  const known = stored.map((transfer) => transfer.to);
  const pass = { only: read.by };
  const selected = filterTransfers(source.network, watch, read.transfers, known).watched;
  const { kept, dust } = await dropCoinDust(follower, selected);
  const watched = await placeTransfers(follower, kept, read.blocks, pass);
  const evidence = { by: read.by, how };
  const second: SecondRead = { cursor, coverage, target: target.block, watch, stored, watched, gone: [], evidence };
  const settledRead = await settleDifferences(follower, second, compareWithOthers(stored, watched, evidence));
  const covered = await commitTier(follower, settledRead);
  if (covered) {
    // Dust of coins is counted in second reads only where first reads do not show coins.
    if (source.nativeFrom === 'finalized') follower.count('dust', dust);
    growRange(follower.memory.ranges, coverage.tier, question.to - coverage.height, source.maxRange);
  }
  return covered;
}

/**
 * Compares both reads. A stored transfer that only this provider has shown, to the same kind of question, counts as
 * missing from the second read: the same answer given twice confirms nothing, so a receipt must decide.
 */
function compareWithOthers(
  stored: readonly PlacedTransfer[],
  watched: readonly StoredTransfer[],
  { by, how }: Evidence,
): Differences<PlacedTransfer> {
  const isOwnWord = (row: PlacedTransfer) => !row.accepted && !row.proven && row.readBy === by && row.readHow === how;
  const [own, others] = [stored.filter(isOwnWord), stored.filter((row) => !isOwnWord(row))];
  const { onlyFirst, onlySecond } = compareReads(others, watched);
  return { onlyFirst: [...onlyFirst, ...own], onlySecond };
}

/** Whether the first read should have shown a transfer: true for all but coins that only second reads show. */
const isFirstReads = (source: ChainSource, { index }: { index: string }) =>
  source.nativeFrom === 'head' || index !== NATIVE_INDEX;

/**
 * Commits a second read: marks the transfers of the range in transactions of bounded size, then moves the coverage in
 * the last one. A process that dies in between leaves marks that are right and coverage that is behind.
 */
async function commitTier(follower: Follower, second: SecondRead): Promise<boolean> {
  const { source, failpoint, count } = follower;
  const { evidence, coverage } = second;
  const found = findUnstored(second.stored, second.watched);
  const gone = new Set(second.gone);
  // A transfer that was proven and settled for this tier by its receipt has nothing left to mark.
  const isMarked = (row: PlacedTransfer) => row.proven && row.settledTier === coverage.tier;
  const kept = second.stored.filter((row) => !gone.has(row.id) && !isMarked(row)).map(({ id }) => id);
  await failpoint('tier:before-commit');
  if (gone.size > 0 && !(await inPiece(follower, second, (tx) => undo(follower, tx, second.gone)))) return false;
  for (let start = 0; start < found.together.length; start += TRANSFERS_PER_COMMIT) {
    const piece = found.together.slice(start, start + TRANSFERS_PER_COMMIT);
    const committed = await inPiece(follower, second, (tx) => add(follower, tx, second, piece, evidence));
    if (!committed) return false;
    await failpoint('tier:piece');
  }
  for (let start = 0; start < kept.length; start += TRANSFERS_PER_COMMIT) {
    const piece = kept.slice(start, start + TRANSFERS_PER_COMMIT);
    if (!(await inPiece(follower, second, (tx) => confirm(follower, tx, second, piece, evidence)))) return false;
    await failpoint('tier:piece');
  }
  count('disagreements', found.new.filter((transfer) => isFirstReads(source, transfer)).length + gone.size);
  return moveTier(follower, second);
}

/**
 * Runs `work` in a database transaction of a second read's commit; false when the network is frozen or blocks were
 * undone since the read began.
 */
async function inPiece(follower: Following, second: SecondRead, work: (tx: Tx) => Promise<void>): Promise<boolean> {
  const network = follower.source.network.id;
  return inTransaction(follower.database, async (tx) => {
    const chain = await lockChain(tx, network);
    if (!chain || chain.frozen || chain.rewinds !== second.cursor.rewinds) return false;
    await work(tx);
    return true;
  });
}

async function undo({ source, apply }: Following, tx: Tx, ids: readonly bigint[]): Promise<void> {
  await revertTransfers(tx, ids);
  await apply(tx, source.network.id, ids);
}

async function add(
  { source, apply, clock }: Following,
  tx: Tx,
  { coverage }: SecondRead,
  watched: readonly StoredTransfer[],
  evidence: Evidence,
): Promise<void> {
  const network = source.network.id;
  const at = new Date(clock.nowMs());
  const { changed, orphaned } = await recordTransfers(tx, network, watched, at, evidence);
  // Transfers are matched before `markCovered` marks them as settled, because the quote says which tier settles a
  // transfer.
  await apply(tx, network, changed, orphaned);
  await apply(tx, network, await markCovered(tx, changed, coverage.tier, evidence, at));
}

async function confirm(
  { source, apply, clock }: Following,
  tx: Tx,
  { coverage }: SecondRead,
  ids: readonly bigint[],
  evidence: Evidence,
): Promise<void> {
  const marked = await markCovered(tx, ids, coverage.tier, evidence, new Date(clock.nowMs()));
  await apply(tx, source.network.id, marked);
}

async function moveTier(follower: Follower, second: SecondRead): Promise<boolean> {
  const { database, source, failpoint } = follower;
  const network = source.network.id;
  const { coverage, target, watch, cursor } = second;
  const outcome = await inTransaction(database, async (tx) => {
    const chain = await lockChain(tx, network);
    if (!chain || chain.frozen || chain.rewinds !== cursor.rewinds) return 'moved';
    if ((await readWatchVersion(tx, network)) !== watch.version) return 'watch-changed';
    if (!(await moveCoverage(tx, network, coverage.tier, coverage.height, target))) return 'moved';
    await failpoint('tier:covered');
    await deleteCoveredEnds(tx, network);
    await failpoint('tier:in-commit');
    return 'covered';
  });
  await failpoint('tier:after-commit');
  if (outcome === 'watch-changed') await loadWatch(follower);
  return outcome === 'covered';
}
