import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { AccountCommitment, AccountMark, AccountSource } from './account-source.ts';
import type { ApplyTransfers, FollowerCounts } from './follower.ts';

/** What following a network's accounts works with, and the little that it remembers between steps. */

export type AccountFollower = {
  database: Database;
  clock: Clock;
  log: Logger;
  source: AccountSource;
  apply: ApplyTransfers;
  /** Named points where a drill may kill the process or a test may step in; does nothing otherwise. */
  failpoint: (name: string) => void | Promise<void>;
  /** How often an account with an open quote is read, and one whose amounts only rest. */
  pollMs: { open: number; resting: number };
  /** How far an open account's coverage may stay behind what is final while nothing happens there. */
  coverSeconds: number;
  /** What accounts held when they were last read, while this process remembers. */
  fingerprints: Map<string, string>;
  /** Accounts that are read at once. */
  concurrency: number;
  /** Reads under way: a slow account keeps its place and holds nobody else up. */
  reading: Set<Promise<void>>;
  verified: boolean;
  counts: FollowerCounts & { failures: number };
};

/** What a round is measured by: `finalized` is what both providers call final. */
export type AccountHeads = Record<AccountCommitment, AccountMark>;

const CONCURRENCY = 16;
const OPEN_POLL_MS = 2_000;
/** Two looks cost a provider far more than a fingerprint; an expiry can wait so long. */
const COVER_SECONDS = 15;
/** Late money is in no hurry: what a grace completes may do so half a minute later. */
const RESTING_POLL_MS = 30_000;

export type AccountFollowerParts = Pick<AccountFollower, 'database' | 'clock' | 'log' | 'source' | 'apply'> &
  Partial<Pick<AccountFollower, 'failpoint' | 'pollMs' | 'coverSeconds' | 'concurrency'>>;

export function createAccountFollower(parts: AccountFollowerParts): AccountFollower {
  return {
    failpoint: () => {},
    pollMs: { open: OPEN_POLL_MS, resting: RESTING_POLL_MS },
    coverSeconds: COVER_SECONDS,
    concurrency: CONCURRENCY,
    ...parts,
    reading: new Set(),
    fingerprints: new Map(),
    verified: false,
    counts: { disagreements: 0, rewinds: 0, dust: 0, failures: 0 },
  };
}
