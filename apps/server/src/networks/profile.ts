/**
 * What a network really does, as data: how fast it is, how far behind its tags lie, what its clients refuse, and how they
 * fail. Readers take their distances and questions from here, and the rigs of tests and drills behave by it. A value that
 * nobody has seen is `'unknown'`, never a guess; where clients differ, the strictest default stands.
 */

export type Unknown = 'unknown';

/** Which answer of a client to `eth_getLogs` by block hash comes from: the block's receipts, or the same index as ranges. */
export type LogsByHash = 'receipts' | 'index' | Unknown;

export type NetworkProfile = {
  /** The day of the facts below. */
  asOf: string;
  blockSeconds: number;
  /** Block times that are announced and not in force. */
  announcedBlockSeconds: readonly number[];
  /** How far `finalized` lies behind the head. */
  finalizedLagSeconds: number;
  /** The longest time that `finalized` was seen to stand still while blocks went on. */
  finalizedStallSecondsSeen: number | Unknown;
  /** Whether `finalized` was never seen to go back. */
  finalizedMonotonic: boolean;
  /** Null where the network has no such tag; `refusal` is what a client without it answers. */
  safe: { lagSeconds: number; lagSecondsMost: number } | { refusal: { code: number; message: string } } | null;
  /** Blocks that a reorg was seen to remove. */
  reorgDepthSeen: number | Unknown;
  batchMaxBytes: number | null;
  batchMaxCalls: number | null;
  logsMaxRange: number | null;
  logsMaxResults: number | null;
  /** How many blocks the index of logs was seen behind the headers of the same node; `'forever'` where logs stayed away. */
  logsLagBlocksSeen: number | 'forever' | Unknown;
  /** Whether headers are served of blocks that are not executed, and for how long by design. */
  unexecutedSeconds: number;
  /** Whether a header's bloom speaks of its own block. */
  bloomReliable: boolean;
  logsByHash: LogsByHash;
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

const AS_OF = '2026-11-15';
/** Longer than any lag of an index that was seen on a single node. */
const SECOND_READ_AGE_SECONDS = 15;

const GETH_BATCH_BYTES = 25_000_000;
const RETH_BATCH_BYTES = 160_000_000;

type Common = 'asOf' | 'announcedBlockSeconds' | 'unexecutedSeconds' | 'secondReadAgeSeconds' | 'maxTransactionVersion';

function profile(facts: Omit<NetworkProfile, Common> & Partial<Pick<NetworkProfile, Common>>): NetworkProfile {
  return {
    asOf: AS_OF,
    announcedBlockSeconds: [],
    unexecutedSeconds: 0,
    secondReadAgeSeconds: SECOND_READ_AGE_SECONDS,
    maxTransactionVersion: null,
    ...facts,
  };
}

export const PROFILES: Readonly<Record<string, NetworkProfile>> = {
  BSC: profile({
    blockSeconds: 0.45,
    finalizedLagSeconds: 1.1,
    finalizedStallSecondsSeen: 10_800,
    finalizedMonotonic: false,
    safe: { lagSeconds: 0.9, lagSecondsMost: 0.9 },
    reorgDepthSeen: 2,
    batchMaxBytes: GETH_BATCH_BYTES,
    batchMaxCalls: 1_000,
    logsMaxRange: null,
    logsMaxResults: null,
    logsLagBlocksSeen: 'unknown',
    bloomReliable: true,
    logsByHash: 'receipts',
    busyTokens: ['USDT'],
    clockDriftSeconds: 1,
    stallAlarmSeconds: 60,
    genesisHash: '0x0d21840abff46b96c84b2ac9e10e4f5cdaeb5693cb665db62a2f3b02d2d57b5b',
  }),
  ETH: profile({
    blockSeconds: 12,
    finalizedLagSeconds: 960,
    finalizedStallSecondsSeen: 3_600,
    finalizedMonotonic: true,
    // One or two slots where the provider runs the fast confirmation rule.
    safe: { lagSeconds: 12, lagSecondsMost: 770 },
    reorgDepthSeen: 7,
    batchMaxBytes: GETH_BATCH_BYTES,
    batchMaxCalls: 100,
    logsMaxRange: 1_000,
    logsMaxResults: 10_000,
    logsLagBlocksSeen: 1,
    bloomReliable: true,
    // Erigon answers by its index.
    logsByHash: 'index',
    busyTokens: ['USDT', 'USDC'],
    clockDriftSeconds: 0,
    stallAlarmSeconds: 1_800,
    genesisHash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  }),
  TRC20: profile({
    blockSeconds: 3,
    finalizedLagSeconds: 57,
    finalizedStallSecondsSeen: 'unknown',
    finalizedMonotonic: true,
    safe: { refusal: { code: -32_602, message: 'invalid block number' } },
    reorgDepthSeen: 'unknown',
    batchMaxBytes: 26_214_400,
    batchMaxCalls: 100,
    logsMaxRange: 5_000,
    logsMaxResults: 10_000,
    logsLagBlocksSeen: 'forever',
    bloomReliable: false,
    logsByHash: 'index',
    busyTokens: ['USDT'],
    clockDriftSeconds: 'unknown',
    stallAlarmSeconds: 180,
    genesisHash: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc',
  }),
  SOL: profile({
    blockSeconds: 0.25,
    announcedBlockSeconds: [0.2],
    finalizedLagSeconds: 8,
    finalizedStallSecondsSeen: 'unknown',
    finalizedMonotonic: true,
    safe: null,
    reorgDepthSeen: 0,
    batchMaxBytes: null,
    batchMaxCalls: 10,
    logsMaxRange: null,
    logsMaxResults: 1_000,
    logsLagBlocksSeen: 'unknown',
    bloomReliable: false,
    logsByHash: 'unknown',
    busyTokens: [],
    clockDriftSeconds: 1_800,
    stallAlarmSeconds: 60,
    genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    maxTransactionVersion: 1,
  }),
  POLYGON: profile({
    blockSeconds: 1.5,
    finalizedLagSeconds: 4,
    finalizedStallSecondsSeen: 900,
    finalizedMonotonic: false,
    safe: { refusal: { code: -32_000, message: 'safe block not found' } },
    reorgDepthSeen: 157,
    batchMaxBytes: GETH_BATCH_BYTES,
    batchMaxCalls: 100,
    logsMaxRange: null,
    logsMaxResults: null,
    logsLagBlocksSeen: 1,
    bloomReliable: true,
    logsByHash: 'receipts',
    busyTokens: ['USDT', 'USDC'],
    clockDriftSeconds: 1,
    stallAlarmSeconds: 120,
    genesisHash: '0xa9c28ce2141b56c474f1dc504bee9b01eb1bd7d1a507580d5519d4437a97de1b',
  }),
  ARBITRUM: profile({
    blockSeconds: 0.25,
    finalizedLagSeconds: 1_000,
    finalizedStallSecondsSeen: 'unknown',
    finalizedMonotonic: true,
    safe: { lagSeconds: 60, lagSecondsMost: 900 },
    reorgDepthSeen: 0,
    batchMaxBytes: 10_000_000,
    batchMaxCalls: 1_000,
    logsMaxRange: null,
    logsMaxResults: null,
    logsLagBlocksSeen: 'unknown',
    bloomReliable: true,
    logsByHash: 'receipts',
    busyTokens: ['USDC'],
    clockDriftSeconds: 3_600,
    stallAlarmSeconds: 3_600,
    genesisHash: '0x7ee576b35482195fc49205cec9af72ce14f003b9ae69f6ba0faef4514be8b442',
  }),
  OPTIMISM: profile({
    blockSeconds: 2,
    finalizedLagSeconds: 1_500,
    finalizedStallSecondsSeen: 'unknown',
    finalizedMonotonic: true,
    safe: { lagSeconds: 180, lagSecondsMost: 300 },
    reorgDepthSeen: 'unknown',
    batchMaxBytes: RETH_BATCH_BYTES,
    batchMaxCalls: null,
    logsMaxRange: 100_000,
    logsMaxResults: 20_000,
    logsLagBlocksSeen: 1,
    bloomReliable: true,
    logsByHash: 'receipts',
    busyTokens: [],
    clockDriftSeconds: 7_200,
    stallAlarmSeconds: 3_600,
    genesisHash: '0x7ca38a1916c42007829c55e69d3e9a73265554b586a499015373241b8a3fa48b',
  }),
  BASE: profile({
    blockSeconds: 0.2,
    finalizedLagSeconds: 1_200,
    finalizedStallSecondsSeen: 6_960,
    finalizedMonotonic: true,
    safe: { lagSeconds: 120, lagSecondsMost: 120 },
    reorgDepthSeen: 1,
    batchMaxBytes: RETH_BATCH_BYTES,
    batchMaxCalls: null,
    logsMaxRange: 100_000,
    logsMaxResults: 20_000,
    logsLagBlocksSeen: 1,
    bloomReliable: true,
    logsByHash: 'receipts',
    busyTokens: ['USDC'],
    clockDriftSeconds: 7_200,
    stallAlarmSeconds: 3_600,
    genesisHash: '0xf712aa9241cc24369b143cf6dce85f0902a9731e70d66818a3a5845b296c73dd',
  }),
  AVAX: profile({
    blockSeconds: 1.5,
    finalizedLagSeconds: 6,
    finalizedStallSecondsSeen: 'unknown',
    finalizedMonotonic: true,
    safe: { lagSeconds: 6, lagSecondsMost: 6 },
    reorgDepthSeen: 0,
    batchMaxBytes: GETH_BATCH_BYTES,
    batchMaxCalls: 1_000,
    logsMaxRange: null,
    logsMaxResults: null,
    logsLagBlocksSeen: 'unknown',
    unexecutedSeconds: 30,
    bloomReliable: false,
    logsByHash: 'index',
    busyTokens: [],
    clockDriftSeconds: 'unknown',
    stallAlarmSeconds: 60,
    genesisHash: '0x31ced5b9beb7f8782b014660da0cb18cc409f121f408186886e1ca3e8eeca96b',
  }),
};

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
