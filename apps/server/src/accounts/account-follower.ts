import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { steadyClock } from '../lib/clock.ts';
import type { Fingerprint } from './account-fingerprint.ts';
import type { Network } from '../networks/network.ts';
import { readingFactsOf } from '../networks/profile.ts';
import type { AccountHeads, ChainPosition, AccountSource } from '../sources/account-source.ts';
import type { SilenceMemory } from '../chains/ask-others.ts';
import type { DustMemory } from '../transfers/drop-coin-dust.ts';
import type { ApplyTransfers, Follower } from '../chains/follower.ts';
import type { Counter } from '../chains/follower-counts.ts';
import { createCounter } from '../chains/follower-counts.ts';
import type { AlarmMemory } from '../chains/raise-chain-alarm.ts';
import type { DatabaseClockMemory } from '../chains/database-clock.ts';
import { newDatabaseClock } from '../chains/database-clock.ts';
import type { HeadMemory } from '../chains/watch-heads.ts';

/** The follower of a network that is read account by account: what its loop works with, and what the loop remembers. */

/**
 * Finds, for each followed account, the earliest invoice end (in unix seconds) that waits for the account's coverage.
 * Handed in by main-worker, because the folder `accounts` does not know invoices.
 */
export type FindEnds = (network: string, accounts: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** What the loop of a network that is read account by account works with; nothing here changes. */
export type AccountFollowing = Readonly<{
  database: Database;
  clock: Clock;
  log: Logger;
  source: AccountSource;
  apply: ApplyTransfers;
  findEnds: FindEnds;
  /** Named points where a drill may kill the process or a test may step in; does nothing otherwise. */
  failpoint: (name: string) => void | Promise<void>;
  /**
   * Milliseconds between polls of a followed account: `open` while a quote is open there, `resting` while its amounts
   * are only quarantined.
   */
  pollMs: { open: number; resting: number };
  /**
   * How far coverage may fall behind the final block while nothing happens at the followed account and no invoice end
   * waits for its coverage.
   */
  coverSeconds: { open: number; resting: number };
  /** How old a first read must be, in database time, before a second read of the same range covers it. */
  secondReadAgeSeconds: number;
  /** Clock that no correction moves, with which the database's clock is compared. */
  steady: Clock;
  /**
   * Whether the source's answers are complete and final at once. Then a second read follows each first read
   * immediately, and a stored transfer that an answer does not show is gone.
   */
  exact: boolean;
  /**
   * Maximum age of the heads by which reads are chosen. The reads themselves go up to heads read after the balances
   * changed.
   */
  headsMs: number;
  /** Number of followed accounts polled at the same time. */
  concurrency: number;
}> &
  Counter;

/**
 * What a follower remembers between steps. Polls under way share this memory and change it in place; each field is
 * written by a single file, which the field's comment names.
 */
type AccountMemory = {
  /**
   * Whether the source was found to serve the right network. Written by `follow-accounts`, as are the next three
   * fields.
   */
  verified: boolean;
  /** The heads that were read last, and the time of that read. */
  heads: { atMs: number; heads: RoundHeads } | undefined;
  /** Fingerprints (balances) of followed accounts at their last read, as far as this process remembers. */
  readonly fingerprints: Map<string, Fingerprint>;
  /**
   * Polls under way: a slow followed account takes one of the `concurrency` slots and delays no other followed account.
   */
  readonly reading: Set<Promise<void>>;
  /**
   * Since when (ms) each missing transfer of a followed account is missing from second reads. Written by
   * `cover-account`.
   */
  readonly missingSince: Map<string, ReadonlyMap<string, number>>;
  /** Since when (ms) a transaction has been shown by one provider only. Written by `require-agreed`. */
  readonly disputes: Map<string, number>;
} & SilenceMemory &
  HeadMemory &
  DatabaseClockMemory &
  AlarmMemory &
  DustMemory;

export type AccountFollower = AccountFollowing & { readonly memory: AccountMemory };

/** The heads that one round of polls reads up to: `finalized` is what every asked provider calls final. */
export type RoundHeads = AccountHeads & {
  /** Confirmed heads of earlier polls, the newest first: nodes have indexed the blocks up to these heads by now. */
  past: readonly ChainPosition[];
};

const CONCURRENCY = 16;
const OPEN_POLL_MS = 2_000;
/**
 * How far coverage of a followed account may lag. Payments and invoice ends do not wait for this time: only a transfer
 * that came and was spent again between two polls is seen that late.
 */
const COVER_SECONDS = { open: 90, resting: 600 };
const HEADS_MS = OPEN_POLL_MS;
/** Pause between polls of resting followed accounts, which only wait for late payments: half a minute does no harm. */
const RESTING_POLL_MS = 30_000;

/** Creates the followers with which a rescan reads a network, beside the followers of workers. */
export type OpenFollowers = {
  openFollower: (network: Network) => Follower;
  openAccountFollower: (network: Network) => AccountFollower;
};

export type AccountFollowerParts = Pick<
  AccountFollowing,
  'database' | 'clock' | 'log' | 'source' | 'apply' | 'findEnds'
> &
  Partial<
    Pick<
      AccountFollowing,
      'failpoint' | 'steady' | 'pollMs' | 'coverSeconds' | 'headsMs' | 'concurrency' | 'secondReadAgeSeconds'
    >
  >;

function createMemory(): AccountMemory {
  return {
    verified: false,
    heads: undefined,
    fingerprints: new Map(),
    reading: new Set(),
    missingSince: new Map(),
    disputes: new Map(),
    othersSilentSince: new Map(),
    databaseClock: newDatabaseClock(),
    highest: { head: undefined, final: undefined },
    standing: new Set(),
    alarmed: new Set(),
    dustLimit: undefined,
  };
}

export function createAccountFollower(parts: AccountFollowerParts): AccountFollower {
  const { secondReadAgeSeconds, exact } = readingFactsOf(parts.source.network);
  return {
    failpoint: () => {},
    steady: steadyClock,
    pollMs: { open: OPEN_POLL_MS, resting: RESTING_POLL_MS },
    coverSeconds: COVER_SECONDS,
    headsMs: HEADS_MS,
    concurrency: CONCURRENCY,
    secondReadAgeSeconds,
    exact,
    ...parts,
    ...createCounter(),
    memory: createMemory(),
  };
}
