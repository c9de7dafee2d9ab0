import { JAVA_TRON_REFUSALS, SOLANA_REFUSALS } from './client-refusals.ts';
import { describeNetwork } from './describe-network.ts';
import type { NetworkProfile } from './profile.ts';

/** Profiles of Tron and Solana. */

export const OTHER_PROFILES: Readonly<Record<string, NetworkProfile>> = {
  TRC20: describeNetwork({
    blockSeconds: 3,
    timesRepeat: false,
    finalizedLagSeconds: 57,
    finalizedLagBlocks: { least: 18, most: 19 },
    finalizedStallSecondsSeen: 'unknown',
    finalizedMonotonic: true,
    safe: { refusal: { code: -32_602, message: 'invalid block number', form: 'call' } },
    reorgDepthSeen: 'unknown',
    batchMaxBytes: 26_214_400,
    batchMaxCalls: 100,
    logsMaxRange: 5_000,
    logsMaxResults: 10_000,
    refusals: JAVA_TRON_REFUSALS,
    logsLagBlocksSeen: 'forever',
    bloomReliable: false,
    logsByHash: 'index',
    blockReceipts: true,
    busyTokens: ['USDT'],
    clockDriftSeconds: 'unknown',
    stallAlarmSeconds: 180,
    genesisHash: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc',
  }),
  SOL: describeNetwork({
    // Solana's blocks take 0.2 to 0.25 s; this is the shorter time.
    blockSeconds: 0.2,
    timesRepeat: true,
    finalizedLagSeconds: 6.4,
    finalizedLagBlocks: { least: 31, most: 32 },
    // With Alpenglow, an announced upgrade, confirmed blocks are final.
    announcedFinalizedLagSeconds: [0.15],
    finalizedStallSecondsSeen: 'unknown',
    finalizedMonotonic: true,
    safe: null,
    reorgDepthSeen: 0,
    batchMaxBytes: null,
    batchMaxCalls: 10,
    logsMaxRange: null,
    logsMaxResults: 1_000,
    refusals: SOLANA_REFUSALS,
    logsLagBlocksSeen: 'unknown',
    bloomReliable: false,
    logsByHash: 'unknown',
    blockReceipts: null,
    busyTokens: [],
    clockDriftSeconds: 1_800,
    stallAlarmSeconds: 60,
    genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    maxTransactionVersion: 1,
  }),
};
