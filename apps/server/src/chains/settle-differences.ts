import { inTransaction } from '../db/transaction.ts';
import { askOthers } from './ask-others.ts';
import type { ChainReceipt, Pass } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import { lockChain, readCoverage } from './chain-sql.ts';
import type { Decided, Differences, Receipts } from './compare-reads.ts';
import { compareReads, decideDifferences, receiptKey } from './compare-reads.ts';
import type { ChainMemory, Follower, Following } from './follower.ts';
import { judgeTransfer } from './judge-transfer.ts';
import { endChainAlarm, raiseChainAlarm } from './raise-chain-alarm.ts';
import { readProofs } from './read-proofs.ts';
import type { SecondRead } from './second-read.ts';
import { placeTransfers, filterTransfers } from './filter-transfers.ts';
import type { StoredTransfer } from '../sources/transfer.ts';
import type { PlacedTransfer } from '../transfers/transfer-sql.ts';
import { countAlikeBefore } from '../transfers/alike-transfers.ts';
import { recordTransfers } from '../transfers/transfer-sql.ts';

/**
 * Decides about transfers that only one of two reads shows, by the receipt of their transaction. A missing receipt
 * decides nothing: coverage waits, everything else goes on, and an alarm is raised.
 */

/**
 * How long every provider must deny a stored transfer before it is undone, and how long a doubt must last before an
 * alarm is raised.
 */
const DOUBT_MS = 60_000;
/** The most transactions in dispute in one second read; with more, the range is made smaller. */
const MAX_DISPUTED = 2_000;

type Disputed = Pick<PlacedTransfer, 'txId' | 'index' | 'to' | 'units' | 'height' | 'blockHash'> & {
  alikeBefore?: number;
};

async function readReceipts({ source }: Following, disputed: readonly Disputed[], pass: Pass): Promise<Receipts> {
  const receipts = await readProofs(source, disputed, pass);
  return new Map(disputed.map((transfer, position) => [receiptKey(transfer), receipts[position] ?? null]));
}

const NO_RECEIPTS: Receipts = new Map();

/**
 * Reads receipts from providers other than the finder; each provider is asked for receipts that the previous ones did
 * not have.
 */
async function readFromOthers(follower: Following, finder: string, disputed: readonly Disputed[]): Promise<Receipts> {
  const found = new Map(await readReceipts(follower, disputed, { not: finder }));
  for (const only of follower.source.providers.filter((name) => name !== finder)) {
    const missing = disputed.filter((transfer) => !found.get(receiptKey(transfer)));
    if (missing.length === 0 || follower.source.providers.length < 3) break;
    const more = await readReceipts(follower, missing, { only }).catch((cause: unknown) => {
      if (cause instanceof SourceError) return NO_RECEIPTS;
      throw cause;
    });
    for (const [key, receipt] of more) found.set(key, receipt);
  }
  return found;
}

/**
 * Reads the receipts that decide about disputed transfers: from another provider than the one that showed the transfer,
 * if there is one.
 */
async function readDeciding<Shown extends Disputed>(
  follower: Follower,
  shown: readonly Shown[],
  finderOf: (transfer: Shown) => string | null,
): Promise<Receipts> {
  const receipts = new Map<string, ChainReceipt | null>();
  const isAlone = follower.source.providers.length < 2;
  for (const [finder, disputed] of Map.groupBy(shown, (one) => (isAlone ? null : finderOf(one)))) {
    const others =
      finder === null ? undefined : await askOthers(follower, finder, () => readFromOthers(follower, finder, disputed));
    const found = others?.answered === true ? others.answer : await readReceipts(follower, disputed, 'second');
    for (const [key, receipt] of found) receipts.set(key, receipt);
  }
  return receipts;
}

/** Transfers to watched addresses in the deciding receipts, with block times. */
async function placeListed(
  follower: Following,
  { stored, watched, watch }: SecondRead,
  deciding: Record<keyof Differences<unknown>, Receipts>,
): Promise<StoredTransfer[]> {
  const { network } = follower.source;
  const blocks = new Set([...stored, ...watched].map(({ blockHash }) => blockHash));
  const receipts = [...deciding.onlyFirst.values(), ...deciding.onlySecond.values()];
  const standing = new Map(
    receipts.flatMap((one) => (one?.succeeded && blocks.has(one.blockHash) ? [[one.txId, one]] : [])),
  );
  const known = [...stored, ...watched].map(({ to }) => to);
  const listed = filterTransfers(
    network,
    watch,
    [...standing.values()].flatMap(({ transfers }) => transfers),
    known,
  ).watched;
  return placeTransfers(follower, listed, [], 'second');
}

/** Whether one provider says that a transfer does not exist: by its receipt, or by another block at the same height. */
async function isDenied({ source }: Following, transfer: Disputed, provider: string): Promise<boolean> {
  const pass = { only: provider };
  const [receipt = null] = await readProofs(source, [transfer], pass);
  const judgement = judgeTransfer(source.network, transfer, receipt);
  if (judgement !== 'unknown') return judgement === 'contradicted';
  const block = await source.blockAt(transfer.height, pass);
  return block !== null && block.hash !== transfer.blockHash;
}

async function isDeniedByAll(follower: Following, transfer: Disputed): Promise<boolean> {
  for (const provider of follower.source.providers) {
    if (!(await isDenied(follower, transfer, provider))) return false;
  }
  return true;
}

/**
 * Notes that a transaction is in doubt and throws, so that coverage of the tier waits. Raises an alarm when the doubt
 * is old.
 */
async function doubt(follower: Follower, tier: string, txId: string): Promise<never> {
  const { clock, count } = follower;
  const { doubts } = follower.memory;
  const key = `${tier} ${txId}`;
  const since = doubts.get(key) ?? clock.nowMs();
  if (!doubts.has(key)) count('disagreements');
  doubts.set(key, since);
  if (clock.nowMs() - since >= DOUBT_MS) await raiseChainAlarm(follower, 'transfer-doubted', { tier }, txId);
  throw new SourceError('inconsistent', `Two reads disagree on ${txId}, and no receipt decides it yet.`);
}

function isOld({ memory, clock }: Follower, tier: string, txId: string): boolean {
  const since = memory.doubts.get(`${tier} ${txId}`);
  return since !== undefined && clock.nowMs() - since >= DOUBT_MS;
}

/**
 * Records a transfer that only the second read shows and that no receipt proves or disproves, so that a person can
 * accept or discard it. The transfer pays nothing until then. Where a tier is covered past its block the transfer is
 * not recorded, because it would settle at once.
 */
async function keepDoubted(follower: Following, second: SecondRead, txId: string): Promise<void> {
  const { database, source, clock, apply } = follower;
  const network = source.network.id;
  const watched = second.watched.filter((transfer) => transfer.txId === txId);
  const lowest = Math.min(...watched.map(({ height }) => height));
  await inTransaction(database, async (tx) => {
    const chain = await lockChain(tx, network);
    if (!chain || chain.frozen || chain.rewinds !== second.cursor.rewinds) return;
    if ((await readCoverage(tx, network)).some(({ height }) => height >= lowest)) return;
    const at = new Date(clock.nowMs());
    const { changed, orphaned } = await recordTransfers(tx, network, watched, at, second.evidence);
    await apply(tx, network, changed, orphaned);
  });
}

async function requireDecided(
  follower: Follower,
  second: SecondRead,
  { contradicted, dropped, unknown }: Decided<PlacedTransfer>,
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
  // A transfer that a receipt denies is dropped only if every provider denies it, including the provider that showed
  // it.
  for (const transfer of dropped)
    if (!(await isDeniedByAll(follower, transfer))) await doubt(follower, tier, transfer.txId);
  const undecided = unknown.find((txId) => !inDoubt.some((transfer) => transfer.txId === txId));
  if (undecided !== undefined) {
    if (isOld(follower, tier, undecided)) await keepDoubted(follower, second, undecided);
    await doubt(follower, tier, undecided);
  }
  return gone;
}

/**
 * Checks transfers that a receipt lists and neither read shows: so far only one provider claims them, and below
 * coverage they would settle at once. The provider that showed the disputed transfer must list them too, unless that
 * provider has been silent for a minute.
 */
async function requireListedByBoth(
  follower: Follower,
  { stored, watched, coverage, evidence }: SecondRead,
  { onlyFirst, onlySecond }: Differences<PlacedTransfer>,
  listed: readonly StoredTransfer[],
): Promise<void> {
  const { source } = follower;
  if (source.providers.length < 2) return;
  const notWatched = new Set(compareReads(watched, listed).onlySecond);
  const unasked = compareReads(stored, listed).onlySecond.filter((transfer) => notWatched.has(transfer));
  const alikeBefore = countAlikeBefore(listed);
  for (const transfer of unasked) {
    const isOnlySecond = onlySecond.some(({ txId }) => txId === transfer.txId);
    const row = onlyFirst.find(({ txId }) => txId === transfer.txId);
    const shower = isOnlySecond ? evidence.by : (row?.readBy ?? source.providers[0]);
    const giver = source.providers.find((name) => name !== shower);
    if ((!isOnlySecond && !row) || !shower || giver === undefined) return doubt(follower, coverage.tier, transfer.txId);
    const only = { only: shower };
    const answer = await askOthers(follower, giver, () => readProofs(source, [transfer], only));
    if (!answer.answered) continue;
    const judged = { ...transfer, alikeBefore: alikeBefore.get(transfer) ?? 0 };
    if (judgeTransfer(source.network, judged, answer.answer[0] ?? null) !== 'proven')
      await doubt(follower, coverage.tier, transfer.txId);
  }
}

/** Forgets doubts about transactions on which both reads agree again; a later difference starts a new doubt. */
function forgetAgreed({ doubts }: ChainMemory, tier: string, disputed: readonly string[]): void {
  const keys = new Set(disputed.map((txId) => `${tier} ${txId}`));
  for (const key of doubts.keys()) if (key.startsWith(`${tier} `) && !keys.has(key)) doubts.delete(key);
}

/** Forgets every doubt, for a process that makes no second reads for a while: a doubt may end unseen. */
export function forgetDoubts({ doubts }: ChainMemory): void {
  doubts.clear();
}

/**
 * Decides every difference between two reads and corrects the second read accordingly; throws while a difference is
 * undecided.
 */
export async function settleDifferences(
  follower: Follower,
  second: SecondRead,
  differences: Differences<PlacedTransfer>,
): Promise<SecondRead> {
  const { memory } = follower;
  const { onlySecond } = differences;
  const onlyFirst = differences.onlyFirst.filter(({ accepted }) => !accepted);
  const txIds = [...new Set([...onlyFirst, ...onlySecond].map(({ txId }) => txId))];
  forgetAgreed(memory, second.coverage.tier, txIds);
  if (txIds.length === 0) return second;
  if (txIds.length > MAX_DISPUTED)
    throw new SourceError('range', `Two reads disagree on ${txIds.length} transactions.`);
  const receipts = {
    onlyFirst: await readDeciding(follower, onlyFirst, ({ readBy }) => readBy),
    onlySecond: await readDeciding(follower, onlySecond, () => second.evidence.by),
  };
  const listed = await placeListed(follower, second, receipts);
  await requireListedByBoth(follower, second, { onlyFirst, onlySecond }, listed);
  const decided = decideDifferences(
    follower.source.network,
    second.watched,
    { onlyFirst, onlySecond },
    receipts,
    listed,
  );
  const { tier } = second.coverage;
  const gone = await requireDecided(follower, second, decided, onlyFirst);
  for (const txId of txIds) {
    memory.doubts.delete(`${tier} ${txId}`);
    endChainAlarm(follower, 'transfer-doubted', txId);
  }
  return { ...second, watched: decided.watched, gone };
}
