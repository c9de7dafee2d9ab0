/** Transfers and blocks as a chain shows them, without any knowledge of invoices. */

/**
 * Index of the coins that a transaction itself moves; `:receiver` is added on networks where one transaction can pay
 * many receivers.
 */
export const NATIVE_INDEX = 'native';

export type ChainTransfer = {
  /** Symbol of the token in the network's list. */
  token: string;
  txId: string;
  /** Which transfer of its transaction this is; does not change when a reorg moves the transaction to another block. */
  index: string;
  from: string;
  to: string;
  /** Base units credited to `to`. */
  units: bigint;
  height: number;
  blockHash: string;
};

/** A block's position in the chain. `time` is in whole seconds. */
export type BlockRef = { height: number; hash: string; parentHash: string; time: number };

/** A transfer with its block's time: the form in which transfers are recorded. */
export type StoredTransfer = ChainTransfer & {
  blockTime: number;
  /** References in the transaction that name the quote it pays, on networks that have references. */
  references?: readonly string[];
  /** The provider that showed this transfer, if not the one that answered for the range. */
  shownBy?: string;
};

/** Whether each block's parent is the previous block, and the first block's parent is `parent`. */
export function isLinked(parent: { hash: string }, blocks: readonly BlockRef[]): boolean {
  let expected = parent.hash;
  for (const block of blocks) {
    if (block.parentHash !== expected) return false;
    expected = block.hash;
  }
  return true;
}
