import { inTransaction } from '../db/transaction.ts';
import { TRANSFERS_PER_COMMIT } from './advance-head.ts';
import { askOthers } from './ask-others.ts';
import type { ChainReceipt, Pass } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { ChainState, Coverage } from './chain-sql.ts';
import { lockChain } from './chain-sql.ts';
import { compareReads, findUnstored } from './compare-reads.ts';
import type { Follower } from './follower.ts';
import { judgeTransfer } from './judge-transfer.ts';
import type { Unproven } from './proof-sql.ts';
import { markProven, readUnproven } from './proof-sql.ts';
import { findAgedEnd } from './find-aged-end.ts';
import { currentWatch, placeTransfers, filterTransfers } from './filter-transfers.ts';
import { readProofs } from './read-proofs.ts';
import { settledHeights } from './settled-heights.ts';
import type { StoredTransfer } from '../sources/transfer.ts';
import { countAlikeBefore } from '../transfers/alike-transfers.ts';
import { recordTransfers } from '../transfers/transfer-sql.ts';

/**
 * Proves payments by their receipts, without waiting for a second read: a payment in a block that its tier calls
 * settled counts once a provider other than the one that found it, if there is one, gives its receipt in that block.
 * Only the absence of payments needs a second read.
 */

const FIRST_RETRY_MS = 1_000;
const MAX_DOUBLINGS = 6;
const MAX_RETRIES_REMEMBERED = 10_000;

type Answered = { rows: Unproven[]; receipts: (ChainReceipt | null)[]; by: string };

/**
 * Asks another provider than `readBy`, which found these payments, for their receipts; only for payments that this
 * other provider's heads call settled too.
 */
async function askReceipts(follower: Follower, readBy: string, rows: Unproven[]): Promise<Answered> {
  const { source } = follower;
  const safe = follower.memory.tiers?.includes('safe') === true;
  const ask = async (pass: Pass, due: Unproven[]): Promise<Answered> => {
    // The heads of the answering provider are read first: a payment must be settled by both providers.
    const heads = await source.heads(pass, { safe });
    const settled = await settledHeights(follower, heads);
    const deep = due.filter(({ tier, height }) => height <= (settled.get(tier) ?? 0));
    return { rows: deep, receipts: await readProofs(source, deep, { only: heads.by }), by: heads.by };
  };
  if (source.providers.length < 2) return ask('first', rows);
  const others = await askOthers(follower, readBy, (pass) => ask(pass, rows));
  if (others.answered) return others.answer;
  const lowest = Math.min(...rows.map(({ height }) => height)) - 1;
  const upTo = Math.max(...rows.map(({ height }) => height));
  const aged = await findAgedEnd(follower, lowest, upTo);
  return ask(
    'first',
    rows.filter(({ height }) => aged !== undefined && height <= aged.height),
  );
}

/**
 * Leaves out transfers that a receipt lists besides the payments in question, unless another provider's receipt lists
 * them too: at a covered height they would settle at once. The second read finds those that are real.
 */
async function withoutUnconfirmed(
  follower: Follower,
  { rows, by }: Answered,
  listed: readonly StoredTransfer[],
): Promise<StoredTransfer[]> {
  const { source } = follower;
  const unasked = source.providers.length < 2 ? [] : compareReads(rows, listed).onlySecond;
  if (unasked.length === 0) return [...listed];
  const others = await askOthers(follower, by, (pass) => readProofs(source, unasked, pass)).catch((cause: unknown) => {
    if (cause instanceof SourceError) return undefined;
    throw cause;
  });
  const receipts = others?.answered === true ? others.answer : [];
  const alikeBefore = countAlikeBefore(listed);
  const isAlone = (transfer: StoredTransfer, position: number) => {
    const judged = { ...transfer, alikeBefore: alikeBefore.get(transfer) ?? 0 };
    return judgeTransfer(source.network, judged, receipts[position] ?? null) !== 'proven';
  };
  const alone = new Set(unasked.filter(isAlone));
  return listed.filter((transfer) => !alone.has(transfer));
}

/**
 * Watched transfers in the receipts that prove a payment: receipts number transfers correctly, and may show transfers
 * that the logs lacked.
 */
async function readListedTransfers(follower: Follower, answered: Answered): Promise<StoredTransfer[]> {
  const { rows, receipts } = answered;
  const { network } = follower.source;
  const watch = await currentWatch(follower);
  const proven = receipts.filter((receipt, position) => {
    const row = rows[position];
    return row !== undefined && judgeTransfer(network, row, receipt) === 'proven';
  });
  const byTransaction = new Map(proven.flatMap((receipt) => (receipt ? [[receipt.txId, receipt] as const] : [])));
  const known = rows.map(({ to }) => to);
  const listed = [...byTransaction.values()].flatMap(({ transfers }) => transfers);
  const blocks = rows.map(({ height, blockHash, blockTime }) => ({
    height,
    hash: blockHash,
    parentHash: '',
    time: blockTime,
  }));
  const watched = await placeTransfers(
    follower,
    filterTransfers(network, watch, listed, known).watched,
    blocks,
    'first',
  );
  return withoutUnconfirmed(follower, answered, watched);
}

function postpone(follower: Follower, rows: readonly Unproven[]): void {
  const { clock } = follower;
  const { retries } = follower.memory;
  for (const { id } of rows) {
    const tries = (retries.get(id)?.tries ?? 0) + 1;
    retries.delete(id);
    retries.set(id, { tries, atMs: clock.nowMs() + FIRST_RETRY_MS * 2 ** Math.min(tries, MAX_DOUBLINGS) });
    const [oldest] = retries.keys();
    if (retries.size > MAX_RETRIES_REMEMBERED && oldest !== undefined) retries.delete(oldest);
  }
}

async function commitProofs(follower: Follower, { rewinds }: ChainState, answered: Answered): Promise<number> {
  const { database, source, clock, apply, failpoint } = follower;
  const { network } = source;
  const unstored = findUnstored(answered.rows, await readListedTransfers(follower, answered)).together;
  const judged = answered.rows.map((row, position) => ({
    row,
    judgement: judgeTransfer(network, row, answered.receipts[position] ?? null),
  }));
  const proven = judged.filter(({ judgement }) => judgement === 'proven').map(({ row }) => row);
  postpone(
    follower,
    judged.filter(({ judgement }) => judgement !== 'proven').map(({ row }) => row),
  );
  if (proven.length === 0) return 0;
  await failpoint('proof:before-commit');
  const marked = await inTransaction(database, async (tx) => {
    const chain = await lockChain(tx, network.id);
    // After a rewind nothing is recorded: the receipts may list transfers of blocks that were undone.
    if (!chain || chain.frozen || chain.rewinds !== rewinds) return 0;
    const at = new Date(clock.nowMs());
    const evidence = { by: answered.by, how: 'receipt' } as const;
    const { changed, orphaned } = await recordTransfers(tx, network.id, unstored, at, evidence);
    const ids = await markProven(tx, proven, evidence, at);
    await failpoint('proof:marked');
    await apply(tx, network.id, [...new Set([...ids, ...changed])], orphaned);
    await failpoint('proof:in-commit');
    return ids.length;
  });
  await failpoint('proof:after-commit');
  for (const { id } of proven) follower.memory.retries.delete(id);
  return marked;
}

/** Proves payments that are due; true when one was proven. Asks no provider when none is due. */
export async function proveTransfers(
  follower: Follower,
  chain: ChainState,
  coverage: readonly Coverage[],
  settled: ReadonlyMap<string, number>,
): Promise<boolean> {
  const { database, source, clock, memory } = follower;
  const spans = coverage.flatMap(({ tier, height }) => {
    // Payments above the cursor are left out: their range is not read to its end.
    const upTo = Math.min(settled.get(tier) ?? 0, chain.height);
    return upTo > height ? [{ tier, above: height, upTo }] : [];
  });
  const nowMs = clock.nowMs();
  const postponed = [...memory.retries].filter(([, { atMs }]) => atMs > nowMs).map(([id]) => id);
  const due = await readUnproven(database.queries, source.network.id, spans, postponed, TRANSFERS_PER_COMMIT);
  let proven = 0;
  for (const [readBy, rows] of Map.groupBy(due, (row) => row.readBy ?? source.providers[0] ?? '')) {
    proven += await commitProofs(follower, chain, await askReceipts(follower, readBy, rows));
  }
  return proven > 0;
}
