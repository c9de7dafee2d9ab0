import { inTransaction } from '../db/transaction.ts';
import type { Tx } from '../db/transaction.ts';
import { coinOf } from '../networks/network.ts';
import { headerStep, headLagBlocks } from '../networks/profile.ts';
import type { ChainRead, Heads, ReadRequest } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { ChainState } from './chain-sql.ts';
import { insertBlocks, lockCursor, moveCursor } from './chain-sql.ts';
import { dropCoinDust } from '../transfers/drop-coin-dust.ts';
import type { Follower, Watch } from './follower.ts';
import { grownRange } from './follower.ts';
import { deleteOldHeaders, firstOfMinutes } from './header-sql.ts';
import { insertReadEnd } from './read-end-sql.ts';
import { loadWatch, placeHits, filterTransfers } from './filter-transfers.ts';
import type { BlockRef, StoredTransfer } from '../sources/transfer.ts';
import { isLinked } from '../sources/transfer.ts';
import { tellOfRead } from './tell-of-read.ts';
import { hasTransfersAbove, recordTransfers, revertTransfersAbove } from '../transfers/transfer-sql.ts';
import { hasNativeQuotes, readWatchVersion } from './watch-sql.ts';

/** The first read of new blocks: read, link to the cursor, record what arrived, move the cursor. */

/** Headers of one read above what is final. */
const MAX_LINKED_HEADERS = 100;
const MAX_COMMIT_TRIES = 5;
/** Transfers of one commit: a flood must not make a statement that its time-out ends for ever. */
export const PIECE = 1_000;

type Outcome = 'committed' | 'cursor-moved' | 'watch-changed' | 'native-opened';

export type Reach = { headLag: number; range: number; headerStep: number };

/**
 * Below what is final a range's ends suffice; above, headers are held. A range that reaches beyond the border holds headers
 * from its start: where the border moves on with every block, a range that ended there would never come past it.
 */
export function nextRange(
  cursor: number,
  heads: Heads,
  { headLag, range, headerStep: step }: Reach,
): Pick<ReadRequest, 'to' | 'headers'> {
  const newest = heads.latest.height - headLag;
  const linked = Math.min(newest, cursor + Math.min(range, MAX_LINKED_HEADERS * step));
  if (cursor < heads.finalized.height && linked <= heads.finalized.height) {
    return { to: Math.min(heads.finalized.height, newest, cursor + range), headers: 'ends' };
  }
  return { to: linked, headers: step === 1 ? 'all' : { every: step } };
}

function requireLinked(cursor: ChainState, read: ChainRead, headers: ReadRequest['headers']): BlockRef {
  const [first] = read.blocks;
  const last = read.blocks.at(-1);
  const linked = headers === 'all' ? isLinked(cursor, read.blocks) : first?.parentHash === cursor.hash;
  if (!first || !last || !linked)
    throw new SourceError('inconsistent', `Blocks above ${cursor.height} do not follow from it.`);
  return last;
}

export async function advanceHead(follower: Follower, cursor: ChainState, heads: Heads): Promise<boolean> {
  const { source, database } = follower;
  const { network } = source;
  const reach = { headLag: headLagBlocks(network), range: follower.range, headerStep: headerStep(network) };
  const { to, headers } = nextRange(cursor.height, heads, reach);
  if (to <= cursor.height) return false;
  // A coin that only the final view shows is the second read's alone.
  const coin = source.nativeFrom === 'head' ? coinOf(network)?.symbol : undefined;
  let native = coin !== undefined && (await hasNativeQuotes(database.queries, network.symbol, coin));
  let watch = follower.watch ?? (await loadWatch(follower));
  const request = { from: cursor.height + 1, to, headers, pass: 'first' } as const;
  let read = await source.read({ ...request, native });
  await tellOfRead(follower, read, to);
  if (!(await takeBackAbove(follower, cursor))) return false;
  for (let tries = 1; tries <= MAX_COMMIT_TRIES; tries += 1) {
    const end = requireLinked(cursor, read, headers);
    const selected = filterTransfers(network, watch, read.transfers);
    const kept = await dropCoinDust(follower, selected.hits);
    const hits = await placeHits(follower, kept.hits, read.blocks, 'first');
    const range = { end, blocks: read.blocks, by: read.by, hits, watch, native, coin, finalized: heads.finalized };
    const outcome = await commitRange(follower, cursor, range);
    if (outcome === 'committed') {
      follower.counts.dust += selected.dust + kept.dust;
      follower.range = grownRange(follower.range, to - cursor.height, source.maxRange);
      return true;
    }
    if (outcome === 'cursor-moved') return false;
    if (outcome === 'watch-changed') watch = await loadWatch(follower);
    if (outcome === 'native-opened') {
      native = true;
      read = await source.read({ ...request, native });
    }
  }
  return false;
}

/** A reader that died between two pieces left transfers above the cursor; the chain may have changed since. */
async function takeBackAbove(follower: Follower, cursor: ChainState): Promise<boolean> {
  const { database, source, apply } = follower;
  const network = source.network.symbol;
  if (!(await hasTransfersAbove(database.queries, network, cursor.height))) return true;
  return inTransaction(database, async (tx) => {
    if (!(await lockCursor(tx, network, cursor.height, cursor.hash))) return false;
    await apply(tx, network, await revertTransfersAbove(tx, network, cursor.height));
    return true;
  });
}

type ReadRange = {
  end: BlockRef;
  blocks: BlockRef[];
  by: string;
  hits: StoredTransfer[];
  /** What the hits were selected by. */
  watch: Watch;
  native: boolean;
  coin: string | undefined;
  finalized: BlockRef;
};

async function record(follower: Follower, tx: Tx, by: string, hits: readonly StoredTransfer[]): Promise<void> {
  const { clock, source, apply } = follower;
  const network = source.network.symbol;
  const seenAt = new Date(clock.nowMs());
  const { changed, orphaned } = await recordTransfers(tx, network, hits, seenAt, { by, how: 'logs' });
  await apply(tx, network, changed, orphaned);
}

/** Pieces of what arrived, each in a commit of its own; the last one moves the cursor and answers for all of them. */
async function commitRange(follower: Follower, cursor: ChainState, range: ReadRange): Promise<Outcome> {
  const { database, source, failpoint } = follower;
  const network = source.network.symbol;
  await failpoint('head:before-commit');
  const last = Math.max(0, Math.ceil(range.hits.length / PIECE) - 1) * PIECE;
  for (let start = 0; start < last; start += PIECE) {
    const held = await inTransaction(database, async (tx) => {
      if (!(await lockCursor(tx, network, cursor.height, cursor.hash))) return false;
      await record(follower, tx, range.by, range.hits.slice(start, start + PIECE));
      return true;
    });
    if (!held) return 'cursor-moved';
    await failpoint('head:piece');
  }
  const outcome = await inTransaction(database, (tx) => commitEnd(follower, tx, cursor, range, range.hits.slice(last)));
  await failpoint('head:after-commit');
  return outcome;
}

async function commitEnd(
  follower: Follower,
  tx: Tx,
  cursor: ChainState,
  range: ReadRange,
  hits: readonly StoredTransfer[],
): Promise<Outcome> {
  const { source, failpoint } = follower;
  const network = source.network.symbol;
  if (!(await lockCursor(tx, network, cursor.height, cursor.hash))) return 'cursor-moved';
  // Compared here, after fetching: whoever saw an address or a native amount saw it after its commit, so a payment to it
  // stands in a block that is fetched later, or in this range with the set read again.
  if ((await readWatchVersion(tx, network)) !== range.watch.version) return 'watch-changed';
  if (!range.native && range.coin !== undefined && (await hasNativeQuotes(tx, network, range.coin)))
    return 'native-opened';
  await insertBlocks(tx, network, range.blocks, firstOfMinutes(range.blocks, cursor.time));
  await record(follower, tx, range.by, hits);
  await failpoint('head:recorded');
  await moveCursor(tx, network, range.end);
  await insertReadEnd(tx, network, range.end, range.by);
  await deleteOldHeaders(tx, network, Math.min(range.finalized.time, cursor.time));
  await failpoint('head:in-commit');
  return 'committed';
}
