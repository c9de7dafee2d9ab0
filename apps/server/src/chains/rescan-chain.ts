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
 * Reads a range again for an operator, and records and matches missed transfers as if in time; coverage does not move.
 * Both witnesses must show the stored header above, and each transfer needs a receipt. Transfers recorded before are
 * matched again too.
 */

/** Most blocks read twice before their transfers are recorded. */
const SEGMENT_BLOCKS = 10_000;
const TRANSFERS_PER_COMMIT = 200;
const MAX_DOUBTED = 50;

type RescanRequest = {
  from: number;
  /** By default the last block that was read and that both witnesses call final. */
  to?: number | undefined;
  native: boolean;
  /** Addresses that are no longer watched, to search for too. */
  known?: readonly string[];
  witnesses: Witnesses;
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

/** A witness that does not show the lowest stored header at or above the range's end is on another chain. */
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
/** One of the two reads of a rescan: its call, its provider, with or without coins. */
type Question = {
  ask: (request: ReadRequest) => Promise<ChainRead>;
  how: Evidence['how'];
  native: boolean;
  by: string;
};

/** Two different reads: logs, then whole blocks. Where logs show no coins, only whole blocks are read for coins. */
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

/** Confirmed watched transfers, with block times and the kind of read. */
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
  // Time between the two reads of a single witness: a lagging index would miss the same transfers twice.
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

/** Reads a segment in ranges that the provider accepts. */
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
    // Waits for a rewind in progress. After one nothing is recorded: the range may be from a dead fork.
    const chain = await lockChain(tx, network);
    if (chain?.rewinds !== rewinds) throw new Refusal('NETWORK_REORGANISED', { network });
    const { changed, orphaned } = await recordTransfers(tx, network, watched, at, { by: shownBy, how });
    // Known transfers are matched again too: one may have been recorded but not matched.
    const ids = await readTransferIds(tx, network, watched);
    await noteConfirmation(tx, ids, confirmedBy, at);
    await follower.apply(tx, network, ids, orphaned);
    return changed.length;
  });
}
