import type { ChainState, Coverage } from './chain-sql.ts';
import type { Watch } from './follower.ts';
import type { BlockRef, StoredTransfer } from '../sources/transfer.ts';
import type { Evidence, PlacedTransfer } from '../transfers/transfer-sql.ts';

/** A range that was read for the second time at the depth of a tier, beside what the first read stored of it. */
export type SecondRead = {
  /** Where the chain stood when the read began. */
  cursor: ChainState;
  coverage: Coverage;
  /** The end of the range. */
  target: BlockRef;
  /** What the hits were selected by. */
  watch: Watch;
  stored: readonly PlacedTransfer[];
  hits: readonly StoredTransfer[];
  /** Stored transfers that every provider has long said are not there. */
  gone: readonly bigint[];
  /** Who answered, and what was asked. */
  evidence: Evidence;
};
