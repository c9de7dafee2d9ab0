import type { Network } from '../networks/network.ts';
import type { ChainReceipt } from './chain-source.ts';
import { judgeByReceipt } from './judge-transfer.ts';
import type { StoredTransfer } from './transfer.ts';

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

export type Decided<Stored> = {
  /** What the second read shows, with what receipts drop and add. */
  hits: StoredTransfer[];
  /** Stored transfers that a receipt says are not there. */
  contradicted: Stored[];
  /** Transactions of which no receipt is known: nothing is decided. */
  unknown: string[];
};

/**
 * Decides what only one of two questions shows by the receipt of its own transaction. `listed` are the transfers of those
 * receipts to addresses of ours, placed: they replace what was read of their transactions, because a receipt lists all.
 */
export function decideDifferences<Stored extends Content>(
  network: Network,
  hits: readonly StoredTransfer[],
  differences: Differences<Stored>,
  receipts: ReadonlyMap<string, ChainReceipt | null>,
  listed: readonly StoredTransfer[],
): Decided<Stored> {
  const replaced = new Set(listed.map(({ txId }) => txId));
  const judge = (transfer: Content) => judgeByReceipt(network, transfer, receipts.get(transfer.txId) ?? null);
  const missed = new Map(differences.missed.map((hit) => [hit, judge(hit)]));
  const lacked = differences.lacked.map((transfer) => ({ transfer, judgement: judge(transfer) }));
  const unknown = lacked.filter(({ judgement }) => judgement === 'unknown').map(({ transfer }) => transfer);
  const unknownHits = [...missed].filter(([, judgement]) => judgement === 'unknown').map(([hit]) => hit);
  return {
    hits: [...hits.filter((hit) => !replaced.has(hit.txId) && missed.get(hit) !== 'contradicted'), ...listed],
    contradicted: lacked.filter(({ judgement }) => judgement === 'contradicted').map(({ transfer }) => transfer),
    unknown: [...new Set([...unknown, ...unknownHits].map(({ txId }) => txId))],
  };
}
