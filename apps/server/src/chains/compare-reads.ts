import type { Network } from '../networks/network.ts';
import type { ChainReceipt } from '../sources/chain-source.ts';
import { judgeTransfer } from './judge-transfer.ts';
import type { StoredTransfer } from '../sources/transfer.ts';
import { NATIVE_INDEX } from '../sources/transfer.ts';

/** Two questions about one range, and what the receipts of transactions say that only one of them shows. */

type Content = Pick<StoredTransfer, 'txId' | 'index' | 'to' | 'units' | 'blockHash'>;

/** All but its number; the index starts with the token. */
const contentOf = ({ txId, index, to, units, blockHash }: Content) =>
  `${txId} ${index.split(':')[0]} ${to} ${units} ${blockHash}`;

function without<Item extends Content>(items: readonly Item[], others: readonly Content[]): Item[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(contentOf(other), (left.get(contentOf(other)) ?? 0) + 1);
  return items.filter((item) => {
    const count = left.get(contentOf(item)) ?? 0;
    left.set(contentOf(item), count - 1);
    return count <= 0;
  });
}

export type Differences<Stored> = {
  /** Stored by the first read, and not shown by the second. */
  lacked: Stored[];
  /** Shown by the second read only. */
  missed: StoredTransfer[];
};

/** Numbers may differ: an answer that lacked one transfer of a transaction numbered those after it too low. */
export function compareReads<Stored extends Content>(
  stored: readonly Stored[],
  hits: readonly StoredTransfer[],
): Differences<Stored> {
  return { lacked: without(stored, hits), missed: without(hits, stored) };
}

/** By transaction; those that coins are judged by have a key of their own. */
export type Receipts = ReadonlyMap<string, ChainReceipt | null>;

export const receiptKey = ({ txId, index }: Pick<Content, 'txId' | 'index'>) =>
  index === NATIVE_INDEX ? `${txId} ${NATIVE_INDEX}` : txId;

export type Decided<Stored> = {
  /** What the second read shows, with what receipts drop and add. */
  hits: StoredTransfer[];
  /** Stored transfers that a receipt says are not there. */
  contradicted: Stored[];
  /** Of what only the second read shows, that which a receipt says is not there: it is not among the hits. */
  dropped: StoredTransfer[];
  /** Transactions of which no receipt is known: nothing is decided. */
  unknown: string[];
};

/**
 * Decides what only one of two questions shows by the receipt of its own transaction. `listed` are the transfers of those
 * receipts to addresses of ours, placed: they replace what was read of their transactions, because a receipt lists all but coins.
 * Each side has receipts of its own, from providers that did not show it.
 */
export function decideDifferences<Stored extends Content>(
  network: Network,
  hits: readonly StoredTransfer[],
  differences: Differences<Stored>,
  receipts: Record<keyof Differences<Stored>, Receipts>,
  listed: readonly StoredTransfer[],
): Decided<Stored> {
  const relisted = new Set(listed.map(({ txId }) => txId));
  const isReplaced = ({ txId, index }: Content) => relisted.has(txId) && index !== NATIVE_INDEX;
  const judge = (transfer: Content, side: Receipts) =>
    judgeTransfer(network, transfer, side.get(receiptKey(transfer)) ?? null);
  const missed = new Map(differences.missed.map((hit) => [hit, judge(hit, receipts.missed)]));
  const lacked = differences.lacked.map((transfer) => ({ transfer, judgement: judge(transfer, receipts.lacked) }));
  const unknown = lacked.filter(({ judgement }) => judgement === 'unknown').map(({ transfer }) => transfer);
  const unknownHits = [...missed].filter(([, judgement]) => judgement === 'unknown').map(([hit]) => hit);
  return {
    hits: [...hits.filter((hit) => !isReplaced(hit) && missed.get(hit) !== 'contradicted'), ...listed],
    contradicted: lacked.filter(({ judgement }) => judgement === 'contradicted').map(({ transfer }) => transfer),
    dropped: [...missed].filter(([, judgement]) => judgement === 'contradicted').map(([hit]) => hit),
    unknown: [...new Set([...unknown, ...unknownHits].map(({ txId }) => txId))],
  };
}
