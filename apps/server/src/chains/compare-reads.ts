import type { Network } from '../networks/network.ts';
import type { ChainReceipt } from '../sources/chain-source.ts';
import type { Content } from '../transfers/alike-transfers.ts';
import { contentOf, countAlikeBefore } from '../transfers/alike-transfers.ts';
import { judgeTransfer } from './judge-transfer.ts';
import type { StoredTransfer } from '../sources/transfer.ts';
import { NATIVE_INDEX } from '../sources/transfer.ts';

/** Compares two reads of one range, and decides by receipts which transfers shown by only one read are real. */

type Counted = { alikeBefore: number };

type Shown<Item> = { item: Item; content: string };

function without<Item>(shown: readonly Shown<Item>[], others: readonly Shown<unknown>[]): Item[] {
  const left = new Map<string, number>();
  for (const { content } of others) left.set(content, (left.get(content) ?? 0) + 1);
  return shown.flatMap(({ item, content }) => {
    const count = left.get(content) ?? 0;
    left.set(content, count - 1);
    return count <= 0 ? [item] : [];
  });
}

export type Differences<Stored> = {
  /** Transfers that the first read stored and the second read does not show. */
  onlyFirst: Stored[];
  /** Transfers that only the second read shows. */
  onlySecond: StoredTransfer[];
};

/**
 * Compares two reads by the content of transfers, not by their numbers: a read that lacks one transfer gives later ones
 * too low a number.
 */
export function compareReads<Stored extends Content>(
  stored: readonly Stored[],
  watched: readonly StoredTransfer[],
): Differences<Stored> {
  const first = stored.map((item) => ({ item, content: contentOf(item) }));
  const second = watched.map((item) => ({ item, content: contentOf(item) }));
  return { onlyFirst: without(first, second), onlySecond: without(second, first) };
}

const identityOf = ({ txId, index, to, units, blockHash }: Content) => `${txId} ${index} ${to} ${units} ${blockHash}`;

/**
 * Finds transfers of a read that are not stored, or are stored differently (`new`), and all transfers of their
 * transactions (`together`). The latter are recorded, because the transfers of a transaction are numbered together.
 */
export function findUnstored(
  stored: readonly Content[],
  watched: readonly StoredTransfer[],
): { new: StoredTransfer[]; together: StoredTransfer[] } {
  const known = new Set(stored.map(identityOf));
  const unlike = watched.filter((transfer) => !known.has(identityOf(transfer)));
  const transactions = new Set(unlike.map(({ txId }) => txId));
  return { new: unlike, together: watched.filter(({ txId }) => transactions.has(txId)) };
}

/**
 * Receipts by `receiptKey`. Coins of a transaction have a key of their own, because no receipt lists coins: the
 * provider is asked about coins separately.
 */
export type Receipts = ReadonlyMap<string, ChainReceipt | null>;

export const receiptKey = ({ txId, index }: Pick<Content, 'txId' | 'index'>) =>
  index === NATIVE_INDEX ? `${txId} ${NATIVE_INDEX}` : txId;

export type Decided<Stored> = {
  /** Watched transfers of the second read, without those that a receipt denies and with those that a receipt adds. */
  watched: StoredTransfer[];
  /** Stored transfers that a receipt denies. */
  contradicted: Stored[];
  /** Transfers that only the second read shows and a receipt denies; they are not among `watched`. */
  dropped: (StoredTransfer & Counted)[];
  /** Transactions without a known receipt, about which nothing is decided. */
  unknown: string[];
};

/**
 * Decides by receipts about transfers that only one of two reads shows. `receipts` keeps both reads apart: each
 * transfer is judged by providers that did not show it. `listed` are the transfers to watched addresses in these
 * receipts; they replace what was read of their transactions, because a receipt lists everything but coins.
 */
export function decideDifferences<Stored extends Content & Counted>(
  network: Network,
  watched: readonly StoredTransfer[],
  differences: Differences<Stored>,
  receipts: Record<keyof Differences<Stored>, Receipts>,
  listed: readonly StoredTransfer[],
): Decided<Stored> {
  const relisted = new Set(listed.map(({ txId }) => txId));
  const isReplaced = ({ txId, index }: Content) => relisted.has(txId) && index !== NATIVE_INDEX;
  const judge = (transfer: Content & Counted, side: Receipts) =>
    judgeTransfer(network, transfer, side.get(receiptKey(transfer)) ?? null);
  const alikeBefore = countAlikeBefore(watched);
  const counted = (transfer: StoredTransfer) => ({ ...transfer, alikeBefore: alikeBefore.get(transfer) ?? 0 });
  const onlySecond = new Map(
    differences.onlySecond.map((transfer) => [transfer, judge(counted(transfer), receipts.onlySecond)]),
  );
  const onlyFirst = differences.onlyFirst.map((transfer) => ({
    transfer,
    judgement: judge(transfer, receipts.onlyFirst),
  }));
  const unknown = onlyFirst.filter(({ judgement }) => judgement === 'unknown').map(({ transfer }) => transfer);
  const unknownTransfers = [...onlySecond]
    .filter(([, judgement]) => judgement === 'unknown')
    .map(([transfer]) => transfer);
  return {
    watched: [
      ...watched.filter((transfer) => !isReplaced(transfer) && onlySecond.get(transfer) !== 'contradicted'),
      ...listed,
    ],
    contradicted: onlyFirst.filter(({ judgement }) => judgement === 'contradicted').map(({ transfer }) => transfer),
    dropped: [...onlySecond]
      .filter(([, judgement]) => judgement === 'contradicted')
      .map(([transfer]) => counted(transfer)),
    unknown: [...new Set([...unknown, ...unknownTransfers].map(({ txId }) => txId))],
  };
}
