import { Refusal } from '../lib/refusal.ts';
import { inTransaction } from '../db/transaction.ts';
import type { ChainRead, ChainSource, ReadRequest } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { ChainState } from './chain-sql.ts';
import { lockChain, readChain } from './chain-sql.ts';
import type { Confirmed, DoubtedTransfer, TwoReads } from './confirm-transfers.ts';
import { confirmTransfers } from './confirm-transfers.ts';
import { dropCoinDust } from '../transfers/drop-coin-dust.ts';
import type { Follower, Following, Watch } from './follower.ts';
import { growRange, HEAD, rangeOf, shrinkRange } from './block-range.ts';
import { hasHeaderBelow, noteConfirmation, readHeaderAbove, readTransferIds } from './rescan-sql.ts';
import { loadWatch, placeTransfers, filterTransfers } from './filter-transfers.ts';
import type { ChainTransfer, StoredTransfer } from '../sources/transfer.ts';
import type { Evidence } from '../transfers/transfer-sql.ts';
import { recordTransfers } from '../transfers/transfer-sql.ts';
import type { Witnesses } from './witness.ts';
import { isAlone, refuseWitnesses, witnessNames } from './witness.ts';

/**
 * Rescans a range for an operator: reads it again, and records and matches what was missed as if it had been read in
 * time. Coverage does not move. Both witnesses must show the stored header above the range, and each transfer needs a
 * receipt. All transfers are matched again, including those that were recorded before.
 */

/** The most blocks that are read twice before their transfers are recorded. */
const SEGMENT_BLOCKS = 10_000;
const TRANSFERS_PER_COMMIT = 200;
/** How many doubted transfers are listed for the operator. */
const MAX_DOUBTED = 50;

type RescanRequest = {
  from: number;
  /** Last block of the range; by default the last one that was read and that both witnesses call final. */
  to?: number | undefined;
  /** Whether to read the network's own coin too, which takes whole blocks. */
  native: boolean;
  /** Addresses to search for that are no longer watched. */
  known?: readonly string[];
  witnesses: Witnesses;
  /** Sleeps for some milliseconds. */
  wait: (ms: number) => Promise<void>;
};

export type Rescanned = { from: number; to: number; found: number; doubted: DoubtedTransfer[] };

export async function requireChainState(follower: Following): Promise<ChainState> {
  const chain = await readChain(follower.database.queries, follower.source.network.id);
  if (!chain) throw new Refusal('NETWORK_NOT_FOLLOWED', { network: follower.source.network.id });
  return chain;
}

export async function rescanChain(follower: Follower, request: RescanRequest): Promise<Rescanned> {
  const chain = await requireChainState(follower);
  const { witnesses } = request;
  const to = Math.min(request.to ?? witnesses.finalized, witnesses.finalized, chain.height);
  const rescanned: Rescanned = { from: request.from, to, found: 0, doubted: [] };
  if (request.from > to) return rescanned;
  await requireOurChain(follower, to, witnesses);
  const watch = await loadWatch(follower);
  for (let from = request.from; from <= to; from += SEGMENT_BLOCKS) {
    const segment = { from, to: Math.min(to, from + SEGMENT_BLOCKS - 1) };
    for (const confirmed of await readSegment(follower, request, watch, segment)) {
      for (let start = 0; start < confirmed.watched.length; start += TRANSFERS_PER_COMMIT) {
        const watched = confirmed.watched.slice(start, start + TRANSFERS_PER_COMMIT);
        rescanned.found += await commitFound(follower, chain, { ...confirmed, watched });
      }
      rescanned.doubted.push(...confirmed.doubted.slice(0, MAX_DOUBTED - rescanned.doubted.length));
    }
  }
  return rescanned;
}

/**
 * Refuses witnesses that do not show the lowest stored header at or above the range's end: such a witness is not on our
 * chain.
 */
export async function requireOurChain(
  { database, source }: Following,
  end: number,
  witnesses: Witnesses,
): Promise<void> {
  const network = source.network.id;
  const refusal = refuseWitnesses(witnesses, await hasHeaderBelow(database.queries, network, end));
  if (refusal) throw refusal;
  const header = await readHeaderAbove(database.queries, network, end);
  if (!header) throw new Refusal('BLOCK_NOT_HELD', { network, height: end });
  for (const name of witnessNames(witnesses)) {
    const block = await source.blockAt(header.height, { only: name });
    if (block?.hash !== header.hash) throw new Refusal('PROVIDER_NOT_OURS', { provider: name, height: header.height });
  }
}

type Segment = { from: number; to: number };
/** How one of the two reads of a rescan is made: by which call, with or without coins, from which provider. */
type Question = {
  ask: (request: ReadRequest) => Promise<ChainRead>;
  how: Evidence['how'];
  native: boolean;
  by: string;
};

/**
 * Chooses the two reads of a rescan, which ask different questions: first logs, then whole blocks. Where logs show no
 * coins, only reads of whole blocks ask for coins.
 */
function chooseQuestions(
  source: ChainSource,
  { native, witnesses }: RescanRequest,
): { first: Question; second: Question } {
  const logs = { ask: source.read, how: 'logs' as const, native: native && source.nativeFrom === 'head' };
  const blocks = { ask: source.readBlocks, how: 'blocks' as const, native };
  const alone = isAlone(witnesses);
  const first = native && source.nativeFrom === 'finalized' && !alone ? blocks : logs;
  return { first: { ...first, by: witnesses.first }, second: { ...blocks, by: witnesses.second } };
}

/** Watched transfers that receipts confirm, with block times and the kind of read that showed them. */
type FoundTransfers = Omit<Confirmed, 'watched'> & { watched: StoredTransfer[]; how: Evidence['how'] };

async function readSegment(
  follower: Follower,
  request: RescanRequest,
  watch: Watch,
  segment: Segment,
): Promise<FoundTransfers[]> {
  const { source, secondReadAgeMs } = follower;
  const { witnesses, known } = request;
  const { first, second } = chooseQuestions(source, request);
  const select = (transfers: readonly ChainTransfer[]) =>
    filterTransfers(source.network, watch, transfers, known).watched;
  const shown = await readPieces(follower, segment, first, select);
  // A single witness gets time between the two reads: an index that is behind would miss the same transfers twice.
  if (isAlone(witnesses)) await request.wait(secondReadAgeMs);
  const reads: TwoReads = { first: shown, second: await readPieces(follower, segment, second, select) };
  const rules = { coinsTwice: first.native && second.native, select };
  const found: FoundTransfers[] = [];
  const confirmed = await confirmTransfers(source, witnesses, reads, rules);
  for (const [side, { how }] of [
    [confirmed.first, first],
    [confirmed.second, second],
  ] as const) {
    const { kept } = await dropCoinDust(follower, side.watched);
    const watched = await placeTransfers(follower, kept, [], { only: side.confirmedBy });
    found.push({ ...side, watched, how });
  }
  return found;
}

/** Reads a segment in ranges small enough for the provider; returns the watched transfers. */
async function readPieces(
  { source, memory: { ranges } }: Follower,
  { from: start, to }: Segment,
  { ask, native, by }: Question,
  select: (transfers: readonly ChainTransfer[]) => ChainTransfer[],
): Promise<ChainTransfer[]> {
  const watched: ChainTransfer[] = [];
  for (let from = start; from <= to;) {
    const end = Math.min(to, from + rangeOf(ranges, HEAD) - 1);
    try {
      const read = await ask({ from, to: end, native, headers: 'ends', pass: { only: by } });
      watched.push(...select(read.transfers));
      growRange(ranges, HEAD, end - from + 1, source.maxRange);
      from = end + 1;
    } catch (cause) {
      if (!(cause instanceof SourceError) || cause.kind !== 'range') throw cause;
      if (!shrinkRange(ranges, HEAD, cause.suggestedRange)) throw cause;
    }
  }
  return watched;
}

async function commitFound(follower: Following, { rewinds }: ChainState, found: FoundTransfers): Promise<number> {
  const { watched, shownBy, confirmedBy, how } = found;
  const { database, clock, source } = follower;
  const network = source.network.id;
  const at = new Date(clock.nowMs());
  await follower.failpoint('rescan:before-commit');
  return inTransaction(database, async (tx) => {
    // `lockChain` waits for a rewind that is being committed. After a rewind nothing is recorded: the range may have
    // been read from a fork that is gone.
    const chain = await lockChain(tx, network);
    if (chain?.rewinds !== rewinds) throw new Refusal('NETWORK_REORGANISED', { network });
    const { changed, orphaned } = await recordTransfers(tx, network, watched, at, { by: shownBy, how });
    // Known transfers are matched again too: one may have been recorded and never matched.
    const ids = await readTransferIds(tx, network, watched);
    await noteConfirmation(tx, ids, confirmedBy, at);
    await follower.apply(tx, network, ids, orphaned);
    return changed.length;
  });
}
