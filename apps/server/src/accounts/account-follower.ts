import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { Fingerprint } from './account-fingerprint.ts';
import type { Network } from '../networks/network.ts';
import { profileOf } from '../networks/profile.ts';
import type { AccountHeads, AccountMark, AccountSource } from '../sources/account-source.ts';
import type { Silence } from '../chains/ask-others.ts';
import type { DustLimit } from '../transfers/drop-coin-dust.ts';
import type { ApplyTransfers, Follower, FollowerCounts } from '../chains/follower.ts';

/** What following a network's accounts works with, and the little that it remembers between steps. */

/**
 * By account, the earliest end in whole seconds that waits until the account is covered past it. Handed in by main-worker,
 * because it is invoices that end.
 */
export type FindEnds = (network: string, accounts: readonly string[]) => Promise<ReadonlyMap<string, number>>;

export type AccountFollower = {
  database: Database;
  clock: Clock;
  log: Logger;
  source: AccountSource;
  apply: ApplyTransfers;
  findEnds: FindEnds;
  /** Named points where a drill may kill the process or a test may step in; does nothing otherwise. */
  failpoint: (name: string) => void | Promise<void>;
  /** How often an account with an open quote is read, and one whose amounts only rest. */
  pollMs: { open: number; resting: number };
  /** How far an account's coverage may stay behind what is final while nothing happens there and nothing waits for it. */
  coverSeconds: { open: number; resting: number };
  /** What accounts held when they were last read, while this process remembers. */
  fingerprints: Map<string, Fingerprint>;
  /** By account, since when second reads lack each payment that they lack. */
  doubts: Map<string, ReadonlyMap<string, number>>;
  /** By transaction id, since when only one provider has shown it. */
  disputes: Map<string, number>;
  /** By who read first, since when nobody else has answered. */
  othersSilentSince: Map<string, Silence>;
  /** Alarms that this process raised and has not ended yet, so that each is raised once. */
  alarmed: Set<string>;
  /** How old a first read must be, in database time, before a second one covers it. */
  secondReadAgeSeconds: number;
  /** Where the network last was, and when that was asked. */
  heads: { atMs: number; heads: RoundHeads } | undefined;
  /** How old that may get. Whatever is read is read up to heads that are newer than the reason for it. */
  headsMs: number;
  /** Accounts that are read at once. */
  concurrency: number;
  /** Reads under way: a slow account keeps its place and holds nobody else up. */
  reading: Set<Promise<void>>;
  verified: boolean;
  /** Below so much a coin is dust. */
  dustLimit: DustLimit | undefined;
  counts: FollowerCounts & { failures: number };
};

/** What a round is measured by: `finalized` is what both providers call final. */
export type RoundHeads = AccountHeads & {
  /** What was confirmed at the polls before, the newest first: by now nodes have written it down. */
  past: readonly AccountMark[];
};

const CONCURRENCY = 16;
const OPEN_POLL_MS = 2_000;
/** How late money is seen that came and went within one poll. Ends and payments do not wait for it. */
const COVER_SECONDS = { open: 90, resting: 600 };
const HEADS_MS = OPEN_POLL_MS;
/** Late money is in no hurry: what a grace completes may do so half a minute later. */
const RESTING_POLL_MS = 30_000;

/** Opens what reads a network, whole or account by account, beside the workers that follow it. */
export type OpenFollowers = {
  openFollower: (network: Network) => Follower;
  openAccountFollower: (network: Network) => AccountFollower;
};

export type AccountFollowerParts = Pick<
  AccountFollower,
  'database' | 'clock' | 'log' | 'source' | 'apply' | 'findEnds'
> &
  Partial<
    Pick<AccountFollower, 'failpoint' | 'pollMs' | 'coverSeconds' | 'headsMs' | 'concurrency' | 'secondReadAgeSeconds'>
  >;

export function createAccountFollower(parts: AccountFollowerParts): AccountFollower {
  return {
    failpoint: () => {},
    pollMs: { open: OPEN_POLL_MS, resting: RESTING_POLL_MS },
    coverSeconds: COVER_SECONDS,
    headsMs: HEADS_MS,
    concurrency: CONCURRENCY,
    secondReadAgeSeconds: profileOf(parts.source.network).secondReadAgeSeconds,
    ...parts,
    reading: new Set(),
    fingerprints: new Map(),
    doubts: new Map(),
    disputes: new Map(),
    othersSilentSince: new Map(),
    alarmed: new Set(),
    heads: undefined,
    verified: false,
    dustLimit: undefined,
    counts: { disagreements: 0, rewinds: 0, dust: 0, failures: 0 },
  };
}
