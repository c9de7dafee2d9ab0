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
/** Age of a first read before the second: longer than any lag of an index that was seen on a single node. */
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
