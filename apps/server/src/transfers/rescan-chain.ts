import { inTransaction } from '../db/transaction.ts';
import { OperatorError } from '../lib/errors.ts';
import type { ChainSource } from './chain-source.ts';
import { SourceError } from './chain-source.ts';
import type { ChainState } from './chain-store.ts';
import {
  countRewind,
  deleteBlocksAbove,
  insertBlocks,
  lockChain,
  lowerCoverage,
  moveCursor,
  readChain,
  unfreezeChain,
} from './chain-store.ts';
import type { Follower } from './follower.ts';
import { grownRange, shrunkRange } from './follower.ts';
import { cutReadEnds } from './read-end-store.ts';
import { loadWatch, placeHits, selectHits } from './select-hits.ts';
import type { StoredTransfer } from './transfer.ts';
import { revertTransfersAbove, upsertTransfers } from './transfer-store.ts';

/** An operator's second thoughts: a range that was read is read again, or a lost chain is taken up where its node is. */

const FIRST_STEP = 1_024;
const MAX_SEARCHES = 64;

export type RescanRequest = {
  from: number;
  /** As far as was read and is final, when not given. */
  to?: number | undefined;
  /** Also the network's own coin, which needs whole blocks. */
  native: boolean;
  /** Addresses that matter though they are watched no more. */
  known?: readonly string[];
};

export type Rescanned = { from: number; to: number; found: number };

export async function requireChainState(follower: Follower): Promise<ChainState> {
  const chain = await readChain(follower.database.queries, follower.source.network.symbol);
  if (!chain) throw new OperatorError(`${follower.source.network.symbol} is not followed.`);
  return chain;
}

/** What was missed is recorded and matched as if it had been read in its time. Coverage does not move. */
export async function rescanChain(follower: Follower, request: RescanRequest): Promise<Rescanned> {
  const { source } = follower;
  const chain = await requireChainState(follower);
  const { finalized } = await source.heads('second');
  const to = Math.min(request.to ?? finalized.height, finalized.height, chain.height);
  const watch = await loadWatch(follower);
  let found = 0;
  for (let from = request.from; from <= to;) {
    const end = Math.min(to, from + follower.range - 1);
    try {
      const readAgain = source.secondQuestion === 'blocks' ? source.readBlocks : source.read;
      const read = await readAgain({ from, to: end, native: request.native, headers: 'ends', pass: 'second' });
      const { hits } = selectHits(source.network, watch, read.transfers, request.known);
      found += await commitFound(follower, await placeHits(follower, hits, read.blocks, 'second'));
      follower.range = grownRange(follower.range, end - from + 1, source.maxRange);
      from = end + 1;
    } catch (cause) {
      if (!(cause instanceof SourceError) || cause.kind !== 'range' || follower.range === 1) throw cause;
      follower.range = shrunkRange(follower.range, cause.suggestedRange);
    }
  }
  return { from: request.from, to, found };
}

async function commitFound(follower: Follower, hits: readonly StoredTransfer[]): Promise<number> {
  if (hits.length === 0) return 0;
  const { database, clock, source } = follower;
  const network = source.network.symbol;
  return inTransaction(database, async (tx) => {
    // The reader waits: coverage that passed one of them meanwhile would not look at it again.
    await lockChain(tx, network);
    const changed = await upsertTransfers(tx, network, hits, new Date(clock.nowMs()));
    await follower.apply(tx, network, changed);
    return changed.length;
  });
}

/** Whether the node still has the block that the cursor stands on. */
export async function standsOnNode({ source }: Follower, cursor: ChainState): Promise<boolean> {
  const block = await source.blockAt(cursor.height, 'first');
  return block?.hash === cursor.hash;
}

/**
 * Takes a chain up again that was reorganised below every header we hold: what stood above is undone, the cursor goes
 * to the node's own block below `from`, and the reader goes on from there.
 */
export async function reanchorChain(follower: Follower, from: number): Promise<{ height: number; undone: number }> {
  const { database, source } = follower;
  const network = source.network.symbol;
  const anchor = await source.blockAt(from - 1, 'first');
  const twin = await source.blockAt(from - 1, 'second');
  if (!anchor || anchor.hash !== twin?.hash) throw new OperatorError(`Nodes do not agree on block ${from - 1}.`);
  return inTransaction(database, async (tx) => {
    const chain = await lockChain(tx, network);
    if (!chain?.frozen) throw new OperatorError(`${network} is not frozen: its reader undoes a reorg by itself.`);
    if (chain.height < anchor.height) throw new OperatorError(`${network} was read up to ${chain.height} only.`);
    const undone = await revertTransfersAbove(tx, network, anchor.height);
    await deleteBlocksAbove(tx, network, -1);
    await insertBlocks(tx, network, [anchor]);
    await cutReadEnds(tx, network, anchor);
    await countRewind(tx, network);
    await lowerCoverage(tx, network, anchor);
    await moveCursor(tx, network, anchor);
    await unfreezeChain(tx, network);
    // Freezes it again while a completed invoice lacks its payment; reading on brings back what the chain still has.
    await follower.apply(tx, network, undone);
    return { height: anchor.height, undone: undone.length };
  });
}

/** The lowest block that is not older than a time, among those up to a height. */
export async function findHeight(source: ChainSource, time: number, upTo: number): Promise<number> {
  const isOlder = async (height: number) => {
    const block = await source.blockAt(height, 'first');
    if (!block) throw new SourceError('inconsistent', `The node has no block ${height}.`);
    return block.time < time;
  };
  let above = upTo;
  let below = Math.max(0, upTo - FIRST_STEP);
  for (let step = FIRST_STEP; below > 0 && !(await isOlder(below)); step *= 2) {
    above = below;
    below = Math.max(0, below - step);
  }
  for (let searches = 0; searches < MAX_SEARCHES && above - below > 1; searches += 1) {
    const middle = Math.floor((above + below) / 2);
    if (await isOlder(middle)) below = middle;
    else above = middle;
  }
  return above;
}
