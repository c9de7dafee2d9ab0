import type { ChainState, Coverage } from './chain-sql.ts';
import type { Watch } from './follower.ts';
import type { BlockRef, StoredTransfer } from '../sources/transfer.ts';
import type { Evidence, PlacedTransfer } from '../transfers/transfer-sql.ts';

/** The second read of a range for a tier, together with what the first read of the range stored. */
export type SecondRead = {
  /** The chain's cursor when the read began. */
  cursor: ChainState;
  coverage: Coverage;
  /** The range's last block. */
  target: BlockRef;
  /** The watch set by which transfers were selected. */
  watch: Watch;
  stored: readonly PlacedTransfer[];
  watched: readonly StoredTransfer[];
  /** Stored transfers that every provider has denied for long enough: they are undone. */
  gone: readonly bigint[];
  /** Which provider answered, and what it was asked. */
  evidence: Evidence;
};
