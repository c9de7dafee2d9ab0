import { inTransaction } from '../db/transaction.ts';
import type { Tx } from '../db/transaction.ts';
import { coinOf } from '../networks/network.ts';
import { headerStep, headLagBlocks } from '../networks/profile.ts';
import { readUnits } from '../quotes/read-units.ts';
import type { ChainRead, Heads, ReadRequest } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { ChainState } from './chain-sql.ts';
import { insertBlocks, lockCursor, moveCursor } from './chain-sql.ts';
import { dropCoinDust } from '../transfers/drop-coin-dust.ts';
import type { Follower, Following, Watch } from './follower.ts';
import { deleteOldHeaders, firstOfMinutes } from './header-sql.ts';
import { insertReadEnd } from './read-end-sql.ts';
import { currentWatch, loadWatch, placeTransfers, filterTransfers } from './filter-transfers.ts';
import type { BlockRef, StoredTransfer } from '../sources/transfer.ts';
import { isLinked } from '../sources/transfer.ts';
import { raiseReadAlarms } from './raise-read-alarms.ts';
import { growRange, HEAD, rangeOf } from './block-range.ts';
import { hasTransfersAbove, recordTransfers, revertTransfersAbove } from '../transfers/transfer-sql.ts';
import { hasNativeQuotes, readWatchVersion } from './watch-sql.ts';

/** First reads of new blocks: reads a range, checks its link to the cursor, records transfers and moves the cursor. */

const MAX_LINKED_HEADERS = 100;
const MAX_COMMIT_TRIES = 5;
/** Transfers per transaction: a flood must not exceed the statement timeout repeatedly. */
export const TRANSFERS_PER_COMMIT = 1_000;

/** All but `committed` mean that something changed during the read, so that the cursor did not move. */
type Outcome = 'committed' | 'cursor-moved' | 'watch-changed' | 'native-opened';

/** Limits of the next range: distance from the head, number of blocks, and distance between stored headers. */
type Reach = { headLag: number; range: number; headerStep: number };

/**
 * Chooses the next range. Up to the final block, headers of its ends suffice. Beyond it, all headers from its start are
 * needed: a range that ended at the moving final block would never get past it.
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
  const { source, database, count } = follower;
  const { ranges } = follower.memory;
  const { network } = source;
  const reach = { headLag: headLagBlocks(network), range: rangeOf(ranges, HEAD), headerStep: headerStep(network) };
  const { to, headers } = nextRange(cursor.height, heads, reach);
  if (to <= cursor.height) return false;
  // Where coins can only be read in final blocks, first reads leave them to second reads.
  const coin = source.nativeFrom === 'head' ? coinOf(network)?.symbol : undefined;
  let native = coin !== undefined && (await hasNativeQuotes(database.queries, network.id, coin));
  let watch = await currentWatch(follower);
  const request = { from: cursor.height + 1, to, headers, pass: 'first' } as const;
  let read = await source.read({ ...request, native });
  await follower.failpoint('head:read');
  await raiseReadAlarms(follower, read, to);
  if (!(await undoAboveCursor(follower, cursor))) return false;
  for (let tries = 1; tries <= MAX_COMMIT_TRIES; tries += 1) {
    const end = requireLinked(cursor, read, headers);
    const selected = filterTransfers(network, watch, read.transfers);
    const { kept, dust } = await dropCoinDust(follower, selected.watched);
    const watched = await placeTransfers(follower, kept, read.blocks, 'first');
    const range = { end, blocks: read.blocks, by: read.by, watched, watch, native, coin, finalized: heads.finalized };
    const outcome = await commitRange(follower, cursor, range);
    if (outcome === 'committed') {
      count('dust', selected.dust + dust);
      growRange(ranges, HEAD, to - cursor.height, source.maxRange);
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

/** Reverts transfers above the cursor that a dead worker has left: the chain may have changed since. */
async function undoAboveCursor(follower: Following, cursor: ChainState): Promise<boolean> {
  const { database, source, apply } = follower;
  const network = source.network.id;
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
  watched: StoredTransfer[];
  /** The watch set that selected the range's transfers. */
  watch: Watch;
  native: boolean;
  coin: string | undefined;
  finalized: BlockRef;
};

async function record(follower: Following, tx: Tx, by: string, watched: readonly StoredTransfer[]): Promise<void> {
  const { clock, source, apply } = follower;
  const network = source.network.id;
  const seenAt = new Date(clock.nowMs());
  const readQuoted = ({ token, units }: StoredTransfer) => readUnits(source.network, token, units);
  const { changed, orphaned } = await recordTransfers(tx, network, watched, seenAt, { by, how: 'logs' }, readQuoted);
  await apply(tx, network, changed, orphaned);
}

/** Records a range in several transactions; the last one checks the watch set and moves the cursor. */
async function commitRange(follower: Following, cursor: ChainState, range: ReadRange): Promise<Outcome> {
  const { database, source, failpoint } = follower;
  const network = source.network.id;
  await failpoint('head:before-commit');
  const last = Math.max(0, Math.ceil(range.watched.length / TRANSFERS_PER_COMMIT) - 1) * TRANSFERS_PER_COMMIT;
  for (let start = 0; start < last; start += TRANSFERS_PER_COMMIT) {
    const isCursorOurs = await inTransaction(database, async (tx) => {
      if (!(await lockCursor(tx, network, cursor.height, cursor.hash))) return false;
      await record(follower, tx, range.by, range.watched.slice(start, start + TRANSFERS_PER_COMMIT));
      return true;
    });
    if (!isCursorOurs) return 'cursor-moved';
    await failpoint('head:piece');
  }
  const outcome = await inTransaction(database, (tx) =>
    commitEnd(follower, tx, cursor, range, range.watched.slice(last)),
  );
  await failpoint('head:after-commit');
  return outcome;
}

async function commitEnd(
  follower: Following,
  tx: Tx,
  cursor: ChainState,
  range: ReadRange,
  watched: readonly StoredTransfer[],
): Promise<Outcome> {
  const { source, failpoint } = follower;
  const network = source.network.id;
  if (!(await lockCursor(tx, network, cursor.height, cursor.hash))) return 'cursor-moved';
  // Compared after the read: a payer sees an address or coin amount only after its commit, so the payment is in a later
  // range, or in this one once it is filtered with the new watch set.
  if ((await readWatchVersion(tx, network)) !== range.watch.version) return 'watch-changed';
  if (!range.native && range.coin !== undefined && (await hasNativeQuotes(tx, network, range.coin)))
    return 'native-opened';
  await insertBlocks(tx, network, range.blocks, firstOfMinutes(range.blocks, cursor.time));
  await record(follower, tx, range.by, watched);
  await failpoint('head:recorded');
  await moveCursor(tx, network, range.end);
  await insertReadEnd(tx, network, range.end, range.by);
  await deleteOldHeaders(tx, network, Math.min(range.finalized.time, cursor.time));
  await failpoint('head:in-commit');
  return 'committed';
}
