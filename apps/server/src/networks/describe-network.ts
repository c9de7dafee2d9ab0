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
/** Longer than the index of any node was ever seen to lag. */
const SECOND_READ_AGE_SECONDS = 15;

/** Completes a profile with common values. */
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
