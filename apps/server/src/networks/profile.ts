import { isSandboxId } from '@counterfoil/core/network-id.ts';
import type { ClientRefusal, ClientRefusals, Unknown } from './client-refusals.ts';
import { EVM_PROFILES } from './evm-profiles.ts';
import { OTHER_PROFILES } from './other-profiles.ts';

/**
 * Profiles of networks: speed, lag of tags, refusals and faults of clients. Readers choose distances and requests by
 * them, and simulated chains behave accordingly. Unobserved values are `'unknown'`, never a guess; where clients
 * differ, the strictest default applies.
 */

/** Where logs by block hash come from: the block's receipts, or the range index. */
type LogsByHash = 'receipts' | 'index' | Unknown;

/** A transaction that the protocol itself puts into blocks, of a type that no wallet sends. */
export type OwnTransaction = {
  type: `0x${string}`;
  /** Its place in a block: `opening` first, `closing` last, `any` anywhere. */
  place: 'opening' | 'closing' | 'any';
  perBlock: number | null;
  /** Whether its `value` reaches its `to`. */
  movesCoins: boolean;
};

type Span = { least: number; most: number };

export type NetworkProfile = {
  /** The day on which the profile was checked. */
  asOf: string;
  blockSeconds: number;
  /** Announced block times that are not in force yet. */
  announcedBlockSeconds: readonly number[];
  /** Whether several blocks may have the same time, in whole seconds. */
  timesRepeat: boolean | Unknown;
  /** How far `finalized` lags the head. */
  finalizedLagSeconds: number;
  /**
   * Lag of `finalized` in blocks, for simulated chains: random per answer where it may go back; otherwise growing with
   * each block to the most, then falling to the least.
   */
  finalizedLagBlocks: Span;
  /** Announced lags of `finalized` that are not in force yet. */
  announcedFinalizedLagSeconds: readonly number[];
  /** Longest observed stall of `finalized` while blocks continued. */
  finalizedStallSecondsSeen: number | Unknown;
  /** Whether `finalized` was never seen to go back. */
  finalizedMonotonic: boolean;
  /** The tag `safe`: its lag, or the refusal of a client without it; null where the network has no such tag. */
  safe: { lagSeconds: number; lagSecondsMost: number } | { refusal: ClientRefusal } | null;
  /** Deepest observed reorg, in blocks. */
  reorgDepthSeen: number | Unknown;
  batchMaxBytes: number | null;
  batchMaxCalls: number | null;
  logsMaxRange: number | null;
  logsMaxResults: number | null;
  refusals: ClientRefusals;
  /** Observed lag of the log index behind headers, in blocks; `'forever'` where logs never came. */
  logsLagBlocksSeen: number | 'forever' | Unknown;
  /** How long a served block may be unexecuted, by design; 0 where blocks are always executed. */
  unexecutedSeconds: number;
  /** Whether a header's bloom filter is that of its own block. */
  bloomReliable: boolean;
  logsByHash: LogsByHash;
  /** Whether clients return all receipts of a block in one call; null without receipts. */
  blockReceipts: boolean | null;
  ownTransactions: readonly OwnTransaction[];
  /** Tokens that move in nearly every ten seconds: ten seconds without a transfer mean that logs lag. */
  busyTokens: readonly string[];
  /** Largest distance of block times from the wall clock in a bad hour. */
  clockDriftSeconds: number | Unknown;
  /** Age of a first read before its second read. */
  secondReadAgeSeconds: number;
  /** Time without a new final block before an alarm. */
  stallAlarmSeconds: number;
  /** The hash of block 0 (Solana: the genesis hash). */
  genesisHash: string;
  /** The newest transaction version in use (Solana); null elsewhere. */
  maxTransactionVersion: number | null;
};

export const PROFILES: Readonly<Record<string, NetworkProfile>> = { ...EVM_PROFILES, ...OTHER_PROFILES };

/** First reads keep this distance from the head, because nodes disagree about the newest blocks. */
const HEAD_LAG_SECONDS = 2;
const HEADERS_PER_SECOND = 1;

export function profileOf(network: { id: string }): NetworkProfile {
  const found = PROFILES[network.id];
  if (!found) throw new Error(`${network.id} has no profile.`);
  return found;
}

/** How soon answers about followed accounts can be trusted. */
type ReadingFacts = Pick<NetworkProfile, 'secondReadAgeSeconds' | 'clockDriftSeconds' | 'finalizedLagSeconds'> & {
  /** Whether answers are immediately right: no index lags, and a missing transfer is gone. */
  exact: boolean;
};

/** Sandbox payments are rows of our own database, so answers are immediately right. */
const SANDBOX_READING: ReadingFacts = {
  secondReadAgeSeconds: 0,
  clockDriftSeconds: 0,
  finalizedLagSeconds: 0,
  exact: true,
};

export function readingFactsOf(network: { id: string }): ReadingFacts {
  return isSandboxId(network.id) ? SANDBOX_READING : { ...profileOf(network), exact: false };
}

/** Newest blocks that first reads leave out. */
export function headLagBlocks(network: { id: string }): number {
  return Math.ceil(HEAD_LAG_SECONDS / profileOf(network).blockSeconds);
}

/** Distance of stored headers above the final block: every block, or one per second on fast chains. */
export function headerStep(network: { id: string }): number {
  return Math.max(1, Math.floor(1 / profileOf(network).blockSeconds / HEADERS_PER_SECOND));
}
