import type { ClientRefusal, ClientRefusals, Unknown } from './client-refusals.ts';
import { EVM_PROFILES } from './evm-profiles.ts';
import { OTHER_PROFILES } from './other-profiles.ts';

/**
 * What a network really does, as data: how fast it is, how far behind its tags lie, what its clients refuse, and how they
 * fail. Readers take their distances and questions from here, and the rigs of tests and drills behave by it. A value that
 * nobody has seen is `'unknown'`, never a guess; where clients differ, the strictest default stands.
 */

/** Which answer of a client to `eth_getLogs` by block hash comes from: the block's receipts, or the same index as ranges. */
export type LogsByHash = 'receipts' | 'index' | Unknown;

/** Transactions that the protocol itself puts into blocks, of a type that no wallet sends. */
export type OwnTransaction = {
  type: `0x${string}`;
  /** `opening` and `closing` stand at the ends of every block that holds them; `any` may occur anywhere. */
  place: 'opening' | 'closing' | 'any';
  /** Per block; null where it only happens now and then. */
  perBlock: number | null;
  /** Whether its `value` reaches its `to`. */
  movesCoins: boolean;
};

/** Inclusive. */
export type Span = { least: number; most: number };

export type NetworkProfile = {
  /** The day of the facts below. */
  asOf: string;
  blockSeconds: number;
  /** Block times that are announced and not in force. */
  announcedBlockSeconds: readonly number[];
  /** Whether several blocks may carry the same time, which is in whole seconds. */
  timesRepeat: boolean | Unknown;
  /** How far `finalized` lies behind the head. */
  finalizedLagSeconds: number;
  /** The same in blocks: drawn for each answer where it is not monotonic, else growing until the tag jumps. */
  finalizedLagBlocks: Span;
  /** Distances of `finalized` that are announced and not in force. */
  announcedFinalizedLagSeconds: readonly number[];
  /** The longest time that `finalized` was seen to stand still while blocks went on. */
  finalizedStallSecondsSeen: number | Unknown;
  /** Whether `finalized` was never seen to go back. */
  finalizedMonotonic: boolean;
  /** Null where the network has no such tag; `refusal` is what a client without it answers. */
  safe: { lagSeconds: number; lagSecondsMost: number } | { refusal: ClientRefusal } | null;
  /** Blocks that a reorg was seen to remove. */
  reorgDepthSeen: number | Unknown;
  batchMaxBytes: number | null;
  batchMaxCalls: number | null;
  logsMaxRange: number | null;
  logsMaxResults: number | null;
  /** In which words the limits above are told, and other refusals. */
  refusals: ClientRefusals;
  /** How many blocks the index of logs was seen behind the headers of the same node; `'forever'` where logs stayed away. */
  logsLagBlocksSeen: number | 'forever' | Unknown;
  /** Whether headers are served of blocks that are not executed, and for how long by design. */
  unexecutedSeconds: number;
  /** Whether a header's bloom speaks of its own block. */
  bloomReliable: boolean;
  logsByHash: LogsByHash;
  /** Whether the receipts of a block can be asked for; null where there are none. */
  blockReceipts: boolean | null;
  /** What the protocol itself puts into blocks. */
  ownTransactions: readonly OwnTransaction[];
  /** Tokens that move in nearly every ten seconds of the chain: silence about them means that logs are behind. */
  busyTokens: readonly string[];
  /** How far a block's time may lie from the wall clock in a bad hour. */
  clockDriftSeconds: number | Unknown;
  /** How old the first read of a range must be before a second one covers it. */
  secondReadAgeSeconds: number;
  /** When nothing new is final for so long, a person is told. */
  stallAlarmSeconds: number;
  /** The hash of block 0 (Solana: the genesis hash). */
  genesisHash: string;
  /** The newest version of transactions that is live (Solana). */
  maxTransactionVersion: number | null;
};

export const PROFILES: Readonly<Record<string, NetworkProfile>> = { ...EVM_PROFILES, ...OTHER_PROFILES };

/** How far behind the head a first read stays: the newest blocks are where nodes disagree. */
const HEAD_LAG_SECONDS = 2;
const HEADERS_PER_SECOND = 1;

export function profileOf(network: { symbol: string }): NetworkProfile {
  const found = PROFILES[network.symbol];
  if (!found) throw new Error(`${network.symbol} has no profile.`);
  return found;
}

/** How many of the newest blocks a first read leaves alone. */
export function headLagBlocks(network: { symbol: string }): number {
  return Math.ceil(HEAD_LAG_SECONDS / profileOf(network).blockSeconds);
}

/** Of how many blocks above what is final one header is held: all of them, or one a second where blocks are faster. */
export function headerStep(network: { symbol: string }): number {
  return Math.max(1, Math.floor(1 / profileOf(network).blockSeconds / HEADERS_PER_SECOND));
}
