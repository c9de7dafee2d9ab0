import { inTransaction } from '../db/transaction.ts';
import { coinOf } from '../networks/network.ts';
import type { ChainRead, Heads } from './chain-source.ts';
import { SourceError } from './chain-source.ts';
import type { ChainState } from './chain-store.ts';
import { deleteBlocksBelow, insertBlocks, lockCursor, moveCursor } from './chain-store.ts';
import type { Follower } from './follower.ts';
import { loadWatch, placeHits, selectHits } from './select-hits.ts';
import type { BlockRef, StoredTransfer } from './transfer.ts';
import { isLinked } from './transfer.ts';
import { upsertTransfers } from './transfer-store.ts';
import { hasNativeQuotes, readWatchVersion } from './watch-store.ts';

/** The first look at new blocks: read, link to the cursor, record what arrived, move the cursor, in one transaction. */

const MAX_LINKED_RANGE = 100;
const MAX_COMMIT_TRIES = 5;
/** Headers this far below the final block are kept, to find the end of a reorg that goes deeper than final. */
const KEPT_BELOW_FINAL = 256;

type Outcome = 'committed' | 'cursor-moved' | 'watch-changed' | 'native-opened';

/** Below what is final a range's ends suffice; above, every header is held. A range does not cross the border. */
export function nextRange(
  cursor: number,
  heads: Heads,
  headLag: number,
  range: number,
): { to: number; headers: 'all' | 'ends' } {
  const newest = heads.latest.height - headLag;
  if (cursor < heads.finalized.height) {
    return { to: Math.min(heads.finalized.height, newest, cursor + range), headers: 'ends' };
  }
  return { to: Math.min(newest, cursor + Math.min(range, MAX_LINKED_RANGE)), headers: 'all' };
}

function requireLinked(cursor: ChainState, read: ChainRead, headers: 'all' | 'ends'): BlockRef {
  const [first] = read.blocks;
  const last = read.blocks.at(-1);
  const linked = headers === 'all' ? isLinked(cursor, read.blocks) : first?.parentHash === cursor.hash;
  if (!first || !last || !linked)
    throw new SourceError('inconsistent', `Blocks above ${cursor.height} do not follow from it.`);
  return last;
}

export async function advanceHead(follower: Follower, cursor: ChainState, heads: Heads): Promise<boolean> {
  const { source, database } = follower;
  const network = source.network.symbol;
  const { to, headers } = nextRange(cursor.height, heads, source.network.headLag, follower.range);
  if (to <= cursor.height) return false;
  // A coin that only the final view shows is the second look's alone.
  const coin = source.nativeFrom === 'head' ? coinOf(source.network)?.symbol : undefined;
  let native = coin !== undefined && (await hasNativeQuotes(database.queries, network, coin));
  if (!follower.watch) await loadWatch(follower);
  let read = await source.read({ from: cursor.height + 1, to, native, headers, pass: 'first' });
  for (let tries = 1; tries <= MAX_COMMIT_TRIES; tries += 1) {
    const end = requireLinked(cursor, read, headers);
    const selected = selectHits(follower, read.transfers);
    const hits = await placeHits(follower, selected.hits, read.blocks, 'first');
    const outcome = await commitRange(follower, cursor, {
      end,
      blocks: read.blocks,
      hits,
      native,
      coin,
      finalized: heads.finalized.height,
    });
    if (outcome === 'committed') {
      follower.counts.dust += selected.dust;
      return true;
    }
    if (outcome === 'cursor-moved') return false;
    if (outcome === 'watch-changed') await loadWatch(follower);
    if (outcome === 'native-opened') {
      native = true;
      read = await source.read({ from: cursor.height + 1, to, native, headers, pass: 'first' });
    }
  }
  return false;
}

type ReadRange = {
  end: BlockRef;
  blocks: BlockRef[];
  hits: StoredTransfer[];
  native: boolean;
  coin: string | undefined;
  finalized: number;
};

async function commitRange(follower: Follower, cursor: ChainState, range: ReadRange): Promise<Outcome> {
  const { database, clock, source, watch, failpoint } = follower;
  const network = source.network.symbol;
  await failpoint('head:before-commit');
  const outcome = await inTransaction<Outcome>(database, async (tx) => {
    if (!(await lockCursor(tx, network, cursor.height, cursor.hash))) return 'cursor-moved';
    // Read here, after fetching: whoever saw an address or a native amount saw it after its commit, so a payment to it
    // stands in a block that is fetched later, or in this range with the set read again.
    if ((await readWatchVersion(tx, network)) !== watch?.version) return 'watch-changed';
    if (!range.native && range.coin !== undefined && (await hasNativeQuotes(tx, network, range.coin)))
      return 'native-opened';
    await insertBlocks(tx, network, range.blocks);
    const changed = await upsertTransfers(tx, network, range.hits, new Date(clock.nowMs()));
    await failpoint('head:recorded');
    await follower.apply(tx, network, changed);
    await moveCursor(tx, network, range.end);
    await deleteBlocksBelow(tx, network, Math.min(range.finalized, cursor.height) - KEPT_BELOW_FINAL);
    await failpoint('head:in-commit');
    return 'committed';
  });
  await failpoint('head:after-commit');
  return outcome;
}
