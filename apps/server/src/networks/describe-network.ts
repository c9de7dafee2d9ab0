import type { NetworkProfile } from './profile.ts';

type Common =
  | 'asOf'
  | 'announcedBlockSeconds'
  | 'announcedFinalizedLagSeconds'
  | 'unexecutedSeconds'
  | 'secondReadAgeSeconds'
  | 'maxTransactionVersion'
  | 'ownTransactions';

const AS_OF = '2026-11-15';
/**
 * How many seconds after the first read the second read may come: longer than the index of any single node was ever
 * seen to be behind.
 */
const SECOND_READ_AGE_SECONDS = 15;

/** Completes a profile with the values that most networks share. */
export function describeNetwork(
  facts: Omit<NetworkProfile, Common> & Partial<Pick<NetworkProfile, Common>>,
): NetworkProfile {
  return {
    asOf: AS_OF,
    announcedBlockSeconds: [],
    announcedFinalizedLagSeconds: [],
    unexecutedSeconds: 0,
    secondReadAgeSeconds: SECOND_READ_AGE_SECONDS,
    maxTransactionVersion: null,
    ownTransactions: [],
    ...facts,
  };
}
