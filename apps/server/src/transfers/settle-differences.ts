import { inTransaction } from '../db/transaction.ts';
import type { ChainReceipt, Pass } from './chain-source.ts';
import { SourceError } from './chain-source.ts';
import { lockChain, readCoverage } from './chain-store.ts';
import type { Decided, Differences } from './compare-reads.ts';
import { decideDifferences } from './compare-reads.ts';
import type { Follower } from './follower.ts';
import { judgeByReceipt } from './judge-transfer.ts';
import { endChainAlarm, raiseChainAlarm } from './raise-chain-alarm.ts';
import type { SecondRead } from './second-read.ts';
import { placeHits, selectHits } from './select-hits.ts';
import type { StoredTransfer } from './transfer.ts';
import type { PlacedTransfer } from './transfer-store.ts';
import { recordTransfers } from './transfer-store.ts';

/**
 * What only one of two reads shows is decided by the receipt of its own transaction, never by a standstill. A missing
 * receipt decides nothing: coverage waits, everything else goes on, and a person is told.
 */

/** What every provider says is not there must stay away so long before it goes. */
const DOUBT_MS = 60_000;
/** More than this is asked for in smaller ranges. */
const MAX_DISPUTED = 2_000;

type Receipts = Map<string, ChainReceipt | null>;

async function readDisputed({ source }: Follower, txIds: readonly string[], pass: Pass): Promise<Receipts> {
  const receipts = await source.receipts(txIds, pass);
  return new Map(txIds.map((txId, place) => [txId, receipts[place] ?? null]));
}

/** From any provider that knows them. */
async function readKnownReceipts(follower: Follower, txIds: readonly string[]): Promise<Receipts> {
  const found = await readDisputed(follower, txIds, 'second');
  const missing = txIds.filter((txId) => !found.get(txId));
  if (missing.length === 0 || follower.source.providers.length < 2) return found;
  for (const [txId, receipt] of await readDisputed(follower, missing, 'first')) found.set(txId, receipt);
  return found;
}

/** What the receipts of these transactions list at our addresses. */
async function placeListed(
  follower: Follower,
  { stored, hits, watch }: SecondRead,
  receipts: Receipts,
): Promise<StoredTransfer[]> {
  const { network } = follower.source;
  const blocks = new Set([...stored, ...hits].map(({ blockHash }) => blockHash));
  const standing = [...receipts.values()].filter((one) => one !== null && one.succeeded && blocks.has(one.blockHash));
  const known = [...stored, ...hits].map(({ to }) => to);
  const listed = selectHits(
    network,
    watch,
    standing.flatMap((receipt) => receipt?.transfers ?? []),
    known,
  ).hits;
  return placeHits(follower, listed, [], 'second');
}

/** Whether one provider says that a stored transfer is not there: by its receipt, or by another block at its height. */
async function isDenied({ source }: Follower, transfer: PlacedTransfer, provider: string): Promise<boolean> {
  const pass = { only: provider };
  const [receipt = null] = await source.receipts([transfer.txId], pass);
  const judgement = judgeByReceipt(source.network, transfer, receipt);
  if (judgement !== 'unknown') return judgement === 'contradicted';
  const block = await source.blockAt(transfer.height, pass);
  return block !== null && block.hash !== transfer.blockHash;
}

async function isDeniedByAll(follower: Follower, transfer: PlacedTransfer): Promise<boolean> {
  for (const provider of follower.source.providers) {
    if (!(await isDenied(follower, transfer, provider))) return false;
  }
  return true;
}

/** Throws while it is not decided; coverage of the tier waits so long. */
async function doubt(follower: Follower, tier: string, txId: string): Promise<never> {
  const { doubts, clock, counts } = follower;
  const key = `${tier} ${txId}`;
  const since = doubts.get(key) ?? clock.nowMs();
  if (!doubts.has(key)) counts.disagreements += 1;
  doubts.set(key, since);
  if (clock.nowMs() - since >= DOUBT_MS) await raiseChainAlarm(follower, 'transfer-doubted', { tier }, txId);
  throw new SourceError('inconsistent', `Two reads disagree on ${txId}, and no receipt decides it yet.`);
}

function isOld({ doubts, clock }: Follower, tier: string, txId: string): boolean {
  const since = doubts.get(`${tier} ${txId}`);
  return since !== undefined && clock.nowMs() - since >= DOUBT_MS;
}

/**
 * Records a transfer that only the second read shows and that no receipt proves or disproves, so that a person can accept
 * or discard it. It pays nothing until then. Where a tier is covered past its block it is not recorded, because a transfer
 * there would count as settled at once.
 */
async function keepDoubted(follower: Follower, second: SecondRead, txId: string): Promise<void> {
  const { database, source, clock, apply } = follower;
  const network = source.network.symbol;
  const hits = second.hits.filter((hit) => hit.txId === txId);
  const lowest = Math.min(...hits.map(({ height }) => height));
  await inTransaction(database, async (tx) => {
    const chain = await lockChain(tx, network);
    if (!chain || chain.frozen || chain.rewinds !== second.cursor.rewinds) return;
    if ((await readCoverage(tx, network)).some(({ height }) => height >= lowest)) return;
    const at = new Date(clock.nowMs());
    const { changed, orphaned } = await recordTransfers(tx, network, hits, at, second.evidence);
    await apply(tx, network, changed, orphaned);
  });
}

async function requireDecided(
  follower: Follower,
  second: SecondRead,
  { contradicted, unknown }: Decided<PlacedTransfer>,
  stored: readonly PlacedTransfer[],
): Promise<bigint[]> {
  const { tier } = second.coverage;
  const gone: bigint[] = [];
  const inDoubt = stored.filter(({ txId }) => unknown.includes(txId));
  for (const transfer of [...contradicted, ...inDoubt]) {
    const denied = await isDeniedByAll(follower, transfer);
    if (!denied || !isOld(follower, tier, transfer.txId)) await doubt(follower, tier, transfer.txId);
    gone.push(transfer.id);
  }
  const undecided = unknown.find((txId) => !inDoubt.some((transfer) => transfer.txId === txId));
  if (undecided !== undefined) {
    if (isOld(follower, tier, undecided)) await keepDoubted(follower, second, undecided);
    await doubt(follower, tier, undecided);
  }
  return gone;
}

/** What both questions show again is not in doubt any more: should it be lacked once more, that begins anew. */
function forgetDoubts({ doubts }: Follower, tier: string, disputed: readonly string[]): void {
  const keys = new Set(disputed.map((txId) => `${tier} ${txId}`));
  for (const key of doubts.keys()) if (key.startsWith(`${tier} `) && !keys.has(key)) doubts.delete(key);
}

/** The second read with every difference decided; throws while one is not. */
export async function settleDifferences(
  follower: Follower,
  second: SecondRead,
  differences: Differences<PlacedTransfer>,
): Promise<SecondRead> {
  const { missed } = differences;
  const lacked = differences.lacked.filter(({ accepted }) => !accepted);
  const txIds = [...new Set([...lacked, ...missed].map(({ txId }) => txId))];
  forgetDoubts(follower, second.coverage.tier, txIds);
  if (txIds.length === 0) return second;
  if (txIds.length > MAX_DISPUTED)
    throw new SourceError('range', `Two reads disagree on ${txIds.length} transactions.`);
  const receipts = await readKnownReceipts(follower, txIds);
  const listed = await placeListed(follower, second, receipts);
  const decided = decideDifferences(follower.source.network, second.hits, { lacked, missed }, receipts, listed);
  const { tier } = second.coverage;
  const gone = await requireDecided(follower, second, decided, lacked);
  for (const txId of txIds) {
    follower.doubts.delete(`${tier} ${txId}`);
    endChainAlarm(follower, 'transfer-doubted', txId);
  }
  return { ...second, hits: decided.hits, gone };
}
