/** Something that arrived at an address, as a chain tells it. It knows nothing of invoices. */

/** The index of a transaction's own value, where it has one; where coins may go to many, the receiver is added. */
export const NATIVE_INDEX = 'native';

export type ChainTransfer = {
  /** Symbol of the token in the network's list. */
  token: string;
  txId: string;
  /** Which transfer of its transaction: stable when the transaction moves to another block. */
  index: string;
  from: string;
  to: string;
  /** Base units credited to `to`. */
  units: bigint;
  height: number;
  blockHash: string;
};

/** A block's place in the chain. `time` is in whole seconds. */
export type BlockRef = { height: number; hash: string; parentHash: string; time: number };

export type StoredTransfer = ChainTransfer & {
  blockTime: number;
  /** Keys that tell which quote it is for, on networks that have them. */
  references?: readonly string[];
  /** The provider that showed it, where that is another than the one that answered for the whole. */
  shownBy?: string;
};

/** Whether each block follows from the one before it, the first from `parent`. */
export function isLinked(parent: { hash: string }, blocks: readonly BlockRef[]): boolean {
  let expected = parent.hash;
  for (const block of blocks) {
    if (block.parentHash !== expected) return false;
    expected = block.hash;
  }
  return true;
}
