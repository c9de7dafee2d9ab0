import type { ChainState, Coverage } from './chain-sql.ts';
import type { Watch } from './follower.ts';
import type { BlockRef, StoredTransfer } from '../sources/transfer.ts';
import type { Evidence, PlacedTransfer } from '../transfers/transfer-sql.ts';

/** The second read of a range for a tier, with the stored result of the first. */
export type SecondRead = {
  cursor: ChainState;
  coverage: Coverage;
  target: BlockRef;
  watch: Watch;
  stored: readonly PlacedTransfer[];
  watched: readonly StoredTransfer[];
  /** Stored transfers that every provider has denied for long enough, to be reverted. */
  gone: readonly bigint[];
  /** Which provider answered which question. */
  evidence: Evidence;
};
