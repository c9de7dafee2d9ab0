import { inTransaction } from '../db/transaction.ts';
import { parseTier } from '../networks/finality.ts';
import { coinOf } from '../networks/network.ts';
import type { ChainSource, Heads } from './chain-source.ts';
import { SourceError } from './chain-source.ts';
import type { ChainState, Coverage } from './chain-store.ts';
import { lockCursor, moveCoverage, readAgedHeight, readBlocksDown } from './chain-store.ts';
import type { Follower } from './follower.ts';
import { settledHeight } from './follower.ts';
import { loadWatch, placeHits, selectHits } from './select-hits.ts';
import type { BlockRef, StoredTransfer } from './transfer.ts';
import { NATIVE_INDEX } from './transfer.ts';
import { readTransfersBetween, upsertTransfers } from './transfer-store.ts';
import { hasNativeQuotes, readWatchVersion } from './watch-store.ts';

/**
 * The second look, when blocks reach a tier's depth: the range is read again, from another provider where there is one,
 * and compared with what is stored. Only what was read twice counts as covered, and only it settles payments.
 */

/**
 * The highest header that we hold within reach of the tier: both looks must end at the same hash. Far below what is
 * final headers are no longer held, or lie further apart than the provider lets us read; there the first one is asked.
 */
async function findTarget(
  follower: Follower,
  cursor: ChainState,
  heads: Heads,
  coverage: Coverage,
): Promise<BlockRef | undefined> {
  const { database, source } = follower;
  const network = source.network.symbol;
  const rule = parseTier(coverage.tier);
  const aged =
    rule.kind === 'age' ? await readAgedHeight(database.queries, network, heads.latest.time - rule.seconds) : undefined;
  const settled = settledHeight(rule, heads, aged);
  if (settled === undefined) return undefined;
  const reach = Math.min(settled, cursor.height, coverage.height + follower.range);
  if (reach <= coverage.height) return undefined;
  const [held] = await readBlocksDown(database.queries, network, reach, 1);
  if (held && held.height > coverage.height) return held;
  return (await source.blockAt(reach, 'first')) ?? undefined;
}

export async function deepenTier(
  follower: Follower,
  cursor: ChainState,
  heads: Heads,
  coverage: Coverage,
): Promise<boolean> {
  const target = await findTarget(follower, cursor, heads, coverage);
  if (!target) return false;
  const { source, database } = follower;
  const network = source.network.symbol;
  const coin = coinOf(source.network)?.symbol;
  const before = await readTransfersBetween(database.queries, network, coverage.height, target.height);
  const coinsStored = before.some((transfer) => transfer.index === NATIVE_INDEX);
  // By the time up to which coins have been looked for: the cursor is further, and an amount may have rested between.
  const since = new Date(coverage.time * 1000);
  const native = coin !== undefined && (coinsStored || (await hasNativeQuotes(database.queries, network, coin, since)));
  if (!follower.watch) await loadWatch(follower);
  const readAgain = source.secondQuestion === 'blocks' ? source.readBlocks : source.read;
  const read = await readAgain({
    from: coverage.height + 1,
    to: target.height,
    native,
    headers: 'ends',
    pass: 'second',
  });
  if (read.blocks.at(-1)?.hash !== target.hash) {
    throw new SourceError('inconsistent', `Two looks at ${target.height} show different blocks.`);
  }
  const known = before.map((transfer) => transfer.to);
  const hits = await placeHits(follower, selectHits(follower, read.transfers, known).hits, read.blocks, 'second');
  return commitTier(follower, cursor, coverage, target, hits);
}

type Seen = Pick<StoredTransfer, 'txId' | 'index' | 'to' | 'units' | 'blockHash'>;

/** All but its number; the index starts with the token. */
const content = ({ txId, index, to, units, blockHash }: Seen) =>
  `${txId} ${index.split(':')[0]} ${to} ${units} ${blockHash}`;
const identity = (transfer: Seen) => `${transfer.index} ${content(transfer)}`;

/**
 * Whether the second look has everything that the first one stored. Numbers may differ: an answer that lacked one
 * transfer of a transaction numbered those after it too low.
 */
export function hasAll(hits: readonly Seen[], stored: readonly Seen[]): boolean {
  const left = new Map<string, number>();
  const count = (key: string, by: number) => left.set(key, (left.get(key) ?? 0) + by);
  for (const hit of hits) count(content(hit), 1);
  for (const transfer of stored) count(content(transfer), -1);
  return [...left.values()].every((surplus) => surplus >= 0);
}

/** Whether the first look should have seen it. */
const isFirstLooks = (source: ChainSource, { index }: Seen) => source.nativeFrom === 'head' || index !== NATIVE_INDEX;

async function commitTier(
  follower: Follower,
  cursor: ChainState,
  coverage: Coverage,
  target: BlockRef,
  hits: readonly StoredTransfer[],
): Promise<boolean> {
  const { database, clock, source, failpoint } = follower;
  const network = source.network.symbol;
  await failpoint('tier:before-commit');
  const outcome = await inTransaction(database, async (tx) => {
    const state = await lockCursor(tx, network, cursor.height, cursor.hash);
    if (!state || state.frozen) return 'moved';
    if ((await readWatchVersion(tx, network)) !== follower.watch?.version) return 'watch-changed';
    const stored = await readTransfersBetween(tx, network, coverage.height, target.height);
    if (!hasAll(hits, stored)) return 'doubted';
    const known = new Set(stored.map(identity));
    const missed = hits.filter((hit) => !known.has(identity(hit)));
    follower.counts.disagreements += missed.filter((hit) => isFirstLooks(source, hit)).length;
    const found = await upsertTransfers(tx, network, missed, new Date(clock.nowMs()));
    if (!(await moveCoverage(tx, network, coverage.tier, coverage.height, target))) return 'moved';
    await failpoint('tier:covered');
    await follower.apply(tx, network, [...new Set([...stored.map((transfer) => transfer.id), ...found])]);
    await failpoint('tier:in-commit');
    return 'committed';
  });
  await failpoint('tier:after-commit');
  if (outcome === 'watch-changed') await loadWatch(follower);
  if (outcome === 'doubted') {
    follower.counts.disagreements += 1;
    throw new SourceError(
      'inconsistent',
      `The second look up to ${target.height} lacks a transfer that the first one saw.`,
    );
  }
  return outcome === 'committed';
}
