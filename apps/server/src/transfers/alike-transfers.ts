import type { ChainTransfer } from '../sources/transfer.ts';

/** Transfers of the same content in one transaction, which only their numbers tell apart. */

export type Content = Pick<ChainTransfer, 'txId' | 'index' | 'to' | 'units' | 'blockHash'>;

/** A transfer's content: everything but its number, which stands behind the token in the index. */
export const contentOf = ({ txId, index, to, units, blockHash }: Content) =>
  `${txId} ${index.split(':')[0]} ${to} ${units} ${blockHash}`;

/** How many transfers of the same content precede each transfer. */
export function countAlikeBefore<Item extends Content>(transfers: readonly Item[]): Map<Item, number> {
  const seen = new Map<string, number>();
  const before = new Map<Item, number>();
  for (const transfer of transfers) {
    const content = contentOf(transfer);
    const count = seen.get(content) ?? 0;
    seen.set(content, count + 1);
    before.set(transfer, count);
  }
  return before;
}

const isNumberedZero = ({ index }: Content) => index.endsWith(':0');

/**
 * Orders stored transfers of the same content: number 0 first, then as they were recorded. The last ones are surplus
 * where a receipt lists fewer. `readUnproven` counts in the same order.
 */
export function orderAlike<Item extends Content & { id: bigint }>(transfers: readonly Item[]): Item[] {
  return transfers.toSorted(
    (left, right) => Number(isNumberedZero(right)) - Number(isNumberedZero(left)) || Number(left.id - right.id),
  );
}
