/** Index of a transaction's own coins, with `:receiver` where one transaction can pay many. */
export const NATIVE_INDEX = 'native';

export type ChainTransfer = {
  token: string;
  txId: string;
  /** Identifies the transfer within its transaction, also after a reorg moves it to another block. */
  index: string;
  from: string;
  to: string;
  units: bigint;
  height: number;
  blockHash: string;
};

export type BlockRef = { height: number; hash: string; parentHash: string; time: number };

/** A transfer with its block's time, as recorded. */
export type StoredTransfer = ChainTransfer & {
  blockTime: number;
  /** References that identify the quote, on networks that have them. */
  references?: readonly string[];
  /** The provider that showed this transfer, if it is not the one that answered for the range. */
  shownBy?: string;
};

/** Whether each block's parent is the previous one, starting at `parent`. */
export function isLinked(parent: { hash: string }, blocks: readonly BlockRef[]): boolean {
  let expected = parent.hash;
  for (const block of blocks) {
    if (block.parentHash !== expected) return false;
    expected = block.hash;
  }
  return true;
}
