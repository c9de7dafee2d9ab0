import { inTransaction } from '../db/transaction.ts';
import { askOthers } from './ask-others.ts';
import type { ChainReceipt, Pass } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { ChainState, Coverage } from './chain-sql.ts';
import { lockChain } from './chain-sql.ts';
import { compareReads } from './compare-reads.ts';
import type { Follower } from './follower.ts';
import { judgeTransfer } from './judge-transfer.ts';
import type { Unproven } from './proof-sql.ts';
import { markProven, readUnproven } from './proof-sql.ts';
import { readAgedEnd } from './read-end-sql.ts';
import { loadWatch, placeHits, filterTransfers } from './filter-transfers.ts';
import { readProofs } from './read-proofs.ts';
import { settledHeights } from './settled-heights.ts';
import type { StoredTransfer } from '../sources/transfer.ts';
import { recordTransfers } from '../transfers/transfer-sql.ts';

/**
 * Presence is proven at once: a payment in a block that its rule calls settled completes its invoice as soon as its receipt
 * stands in that block, by another provider than the one that found it wherever there is one. Only absence needs age.
 */

/** Payments of one round. */
const MAX_RECEIPTS = 900;
const FIRST_RETRY_MS = 1_000;
const MAX_DOUBLINGS = 6;
const MAX_RETRIES_REMEMBERED = 10_000;

type Answered = { rows: Unproven[]; receipts: (ChainReceipt | null)[]; by: string };

/** The receipts of payments that one provider read first, of those that are settled by what whoever answers says, too. */
async function askReceipts(follower: Follower, readBy: string, rows: Unproven[]): Promise<Answered> {
  const { source, database } = follower;
  const safe = follower.tiers?.includes('safe') === true;
  const ask = async (pass: Pass, due: Unproven[]): Promise<Answered> => {
    // Its own heads, before its receipts: the depth is the shallower of what both providers say.
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
  const aged = await readAgedEnd(database.queries, source.network.symbol, lowest, upTo, follower.secondReadAgeMs);
  return ask(
    'first',
    rows.filter(({ height }) => aged !== undefined && height <= aged.height),
  );
}

/**
 * Without what a receipt lists beside the payments that it was asked for, unless another provider's receipt lists it, too:
 * at a height that its rule has covered it would settle at once. What is left out is the second read's to find.
 */
async function withoutUnasked(
  follower: Follower,
  { rows, by }: Answered,
  listed: readonly StoredTransfer[],
): Promise<StoredTransfer[]> {
  const { source } = follower;
  const unasked = source.providers.length < 2 ? [] : compareReads(rows, listed).missed;
  if (unasked.length === 0) return [...listed];
  const others = await askOthers(follower, by, (pass) => readProofs(source, unasked, pass)).catch((cause: unknown) => {
    if (cause instanceof SourceError) return undefined;
    throw cause;
  });
  const receipts = others?.answered === true ? others.answer : [];
  const isAlone = (transfer: StoredTransfer, place: number) =>
    judgeTransfer(source.network, transfer, receipts[place] ?? null) !== 'proven';
  const alone = new Set(unasked.filter(isAlone));
  return listed.filter((transfer) => !alone.has(transfer));
}

/** What the receipts list at our addresses: their numbers are the true ones, and they may show what logs lacked. */
async function hitsOf(follower: Follower, answered: Answered): Promise<StoredTransfer[]> {
  const { rows, receipts } = answered;
  const { network } = follower.source;
  const watch = follower.watch ?? (await loadWatch(follower));
  const proven = receipts.filter((receipt, place) => {
    const row = rows[place];
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
  const hits = await placeHits(follower, filterTransfers(network, watch, listed, known).hits, blocks, 'first');
  return withoutUnasked(follower, answered, hits);
}

function postpone(follower: Follower, rows: readonly Unproven[]): void {
  const { retries, clock } = follower;
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
  const hits = await hitsOf(follower, answered);
  const judged = answered.rows.map((row, place) => ({
    row,
    judgement: judgeTransfer(network, row, answered.receipts[place] ?? null),
  }));
  const proven = judged.filter(({ judgement }) => judgement === 'proven').map(({ row }) => row);
  postpone(
    follower,
    judged.filter(({ judgement }) => judgement !== 'proven').map(({ row }) => row),
  );
  if (proven.length === 0) return 0;
  await failpoint('proof:before-commit');
  const marked = await inTransaction(database, async (tx) => {
    const chain = await lockChain(tx, network.symbol);
    // Blocks that were undone meanwhile would come back with what their receipts list.
    if (!chain || chain.frozen || chain.rewinds !== rewinds) return 0;
    const at = new Date(clock.nowMs());
    const evidence = { by: answered.by, how: 'receipt' } as const;
    const { changed, orphaned } = await recordTransfers(tx, network.symbol, hits, at, evidence);
    const ids = await markProven(tx, proven, evidence, at);
    await failpoint('proof:marked');
    await apply(tx, network.symbol, [...new Set([...ids, ...changed])], orphaned);
    await failpoint('proof:in-commit');
    return ids.length;
  });
  await failpoint('proof:after-commit');
  for (const { id } of proven) follower.retries.delete(id);
  return marked;
}

/** True when a payment was proven. Nobody is asked while there is none to prove. */
export async function proveTransfers(
  follower: Follower,
  chain: ChainState,
  coverage: readonly Coverage[],
  settled: ReadonlyMap<string, number>,
): Promise<boolean> {
  const { database, source, clock, retries } = follower;
  const spans = coverage.flatMap(({ tier, height }) => {
    // What stands above the cursor is a piece of a range that is not read to its end.
    const upTo = Math.min(settled.get(tier) ?? 0, chain.height);
    return upTo > height ? [{ tier, above: height, upTo }] : [];
  });
  const nowMs = clock.nowMs();
  const resting = [...retries].filter(([, { atMs }]) => atMs > nowMs).map(([id]) => id);
  const due = await readUnproven(database.queries, source.network.symbol, spans, resting, MAX_RECEIPTS);
  let proven = 0;
  for (const [readBy, rows] of Map.groupBy(due, (row) => row.readBy ?? source.providers[0] ?? '')) {
    proven += await commitProofs(follower, chain, await askReceipts(follower, readBy, rows));
  }
  return proven > 0;
}
