import type { ClientRefusal, ClientRefusals, Unknown } from './client-refusals.ts';
import { EVM_PROFILES } from './evm-profiles.ts';
import { isSandboxId } from './network-id.ts';
import { OTHER_PROFILES } from './other-profiles.ts';

/**
 * Profiles of networks: how fast each network is, how far its tags lag, what its clients refuse and how its clients
 * fail. Readers choose their distances and questions by profiles, and simulated chains in tests and drills behave by
 * profiles. A value that nobody has seen is `'unknown'`, never a guess; where clients differ, the strictest default is
 * used.
 */

/** Where a client takes logs by block hash from: the block's receipts, or the index that also answers for ranges. */
type LogsByHash = 'receipts' | 'index' | Unknown;

/** A kind of transaction that the protocol itself puts into blocks, of a type that no wallet sends. */
export type OwnTransaction = {
  type: `0x${string}`;
  /** Where the protocol puts the transaction in a block: `opening` first, `closing` last, `any` anywhere. */
  place: 'opening' | 'closing' | 'any';
  /** How many transactions of the kind each block has; null where they only happen now and then. */
  perBlock: number | null;
  /** Whether the transaction's `value` reaches its `to`. */
  movesCoins: boolean;
};

/** A range of numbers, both ends included. */
type Span = { least: number; most: number };

export type NetworkProfile = {
  /** The day on which the facts of this profile were checked. */
  asOf: string;
  blockSeconds: number;
  /** Block times that are announced but not in force yet. */
  announcedBlockSeconds: readonly number[];
  /** Whether several blocks may carry the same block time; block times are in whole seconds. */
  timesRepeat: boolean | Unknown;
  /** How far the `finalized` block lies behind the head. */
  finalizedLagSeconds: number;
  /**
   * Lag of `finalized` in blocks. Simulated chains take their lag from this range: a random lag for each answer where
   * `finalized` may go back; elsewhere a lag that grows with each block up to the most and then falls to the least.
   */
  finalizedLagBlocks: Span;
  /** Lags of `finalized` that are announced but not in force yet. */
  announcedFinalizedLagSeconds: readonly number[];
  /** The longest time that `finalized` was seen to stand still while blocks went on. */
  finalizedStallSecondsSeen: number | Unknown;
  /** Whether `finalized` was never seen to go back. */
  finalizedMonotonic: boolean;
  /**
   * The tag `safe`: its lag, or the refusal of a client that does not know the tag; null where the network has no such
   * tag.
   */
  safe: { lagSeconds: number; lagSecondsMost: number } | { refusal: ClientRefusal } | null;
  /** Deepest reorg that was seen on the network, in blocks. */
  reorgDepthSeen: number | Unknown;
  batchMaxBytes: number | null;
  batchMaxCalls: number | null;
  logsMaxRange: number | null;
  logsMaxResults: number | null;
  /** The wording in which clients refuse requests that exceed the client limits, and of other refusals. */
  refusals: ClientRefusals;
  /** How many blocks a node's index of logs was seen behind the node's headers; `'forever'` where logs never came. */
  logsLagBlocksSeen: number | 'forever' | Unknown;
  /**
   * How long after its header is served a block may be unexecuted, by design; 0 where served blocks are always
   * executed.
   */
  unexecutedSeconds: number;
  /** Whether the bloom filter in a header is that of the header's own block. */
  bloomReliable: boolean;
  logsByHash: LogsByHash;
  /** Whether clients answer for all receipts of a block at once; null where the network has no receipts. */
  blockReceipts: boolean | null;
  /** Transactions that the protocol itself puts into blocks. */
  ownTransactions: readonly OwnTransaction[];
  /**
   * Busy tokens, which move in nearly every ten seconds: ten seconds without a move mean that the node's logs are
   * behind.
   */
  busyTokens: readonly string[];
  /** How far a block's time may lie from the wall clock in a bad hour. */
  clockDriftSeconds: number | Unknown;
  /** How old the first read of a range must be before a second read covers the range. */
  secondReadAgeSeconds: number;
  /** Time without a new final block after which an alarm is raised. */
  stallAlarmSeconds: number;
  /** The hash of block 0 (Solana: the genesis hash). */
  genesisHash: string;
  /** The newest version of transactions in use (Solana); null on other networks. */
  maxTransactionVersion: number | null;
};

export const PROFILES: Readonly<Record<string, NetworkProfile>> = { ...EVM_PROFILES, ...OTHER_PROFILES };

/** Distance that first reads keep from the head, because nodes disagree about the newest blocks. */
const HEAD_LAG_SECONDS = 2;
const HEADERS_PER_SECOND = 1;

export function profileOf(network: { id: string }): NetworkProfile {
  const found = PROFILES[network.id];
  if (!found) throw new Error(`${network.id} has no profile.`);
  return found;
}

/** How soon answers about a network's followed accounts can be believed. */
type ReadingFacts = Pick<NetworkProfile, 'secondReadAgeSeconds' | 'clockDriftSeconds' | 'finalizedLagSeconds'> & {
  /** Whether an answer is right at once: no index of the source lags, and a transfer missing from an answer is gone. */
  exact: boolean;
};

/** Facts about reading the sandbox: its payments are rows of our own database, so answers are right at once. */
const SANDBOX_READING: ReadingFacts = {
  secondReadAgeSeconds: 0,
  clockDriftSeconds: 0,
  finalizedLagSeconds: 0,
  exact: true,
};

export function readingFactsOf(network: { id: string }): ReadingFacts {
  return isSandboxId(network.id) ? SANDBOX_READING : { ...profileOf(network), exact: false };
}

/** Number of newest blocks that first reads leave out. */
export function headLagBlocks(network: { id: string }): number {
  return Math.ceil(HEAD_LAG_SECONDS / profileOf(network).blockSeconds);
}

/**
 * Blocks between stored headers above the final block: a header is stored for every block, or for one block per second
 * on fast chains.
 */
export function headerStep(network: { id: string }): number {
  return Math.max(1, Math.floor(1 / profileOf(network).blockSeconds / HEADERS_PER_SECOND));
}
