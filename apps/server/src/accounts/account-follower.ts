import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
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

/** The follower of a network that is read account by account: what it works with, and what it remembers. */

/**
 * The earliest invoice end, in unix seconds, that waits for each followed account to be covered past it. Handed in by
 * main-worker: this folder does not know invoices.
 */
export type FindEnds = (network: string, accounts: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** What following a network account by account works with. */
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
   * How far coverage may fall behind the final block while nothing happens at the account and no invoice end waits for
   * it.
   */
  coverSeconds: { open: number; resting: number };
  /** How old a first read must be, in database time, before a second one covers it. */
  secondReadAgeSeconds: number;
  /**
   * Whether the source's answers are complete and final at once. Then a second read follows each first read
   * immediately, and a stored transfer that an answer does not show is gone.
   */
  exact: boolean;
  /** Maximum age of heads when deciding what to read. The reads themselves use heads newer than their reason. */
  headsMs: number;
  /** Followed accounts polled at the same time. */
  concurrency: number;
}> &
  Counter;

/**
 * What is remembered between steps. Polls share it while they are under way, so it is changed in place; each part is
 * written by one file alone, which is named behind it.
 */
type AccountMemory = {
  /** Whether the source was found to serve the right network: `follow-accounts`, as the next three. */
  verified: boolean;
  /** The heads that were read last, and when. */
  heads: { atMs: number; heads: RoundHeads } | undefined;
  /** Balances of followed accounts at their last read, as far as this process remembers. */
  readonly fingerprints: Map<string, Fingerprint>;
  /** Polls under way: a slow account takes one of the `concurrency` slots and delays no other. */
  readonly reading: Set<Promise<void>>;
  /** Since when (ms) each missing transfer of an account has been missing from second reads: `cover-account`. */
  readonly missingSince: Map<string, ReadonlyMap<string, number>>;
  /** Since when (ms) a transaction has been shown by one provider only: `require-agreed`. */
  readonly disputes: Map<string, number>;
} & SilenceMemory &
  AlarmMemory &
  DustMemory;

export type AccountFollower = AccountFollowing & { readonly memory: AccountMemory };

/** The heads that one round of polls reads up to: `finalized` is what every asked provider calls final. */
export type RoundHeads = AccountHeads & {
  /** Confirmed heads of earlier polls, the newest first: nodes have indexed those blocks by now. */
  past: readonly ChainPosition[];
};

const CONCURRENCY = 16;
const OPEN_POLL_MS = 2_000;
/**
 * How far coverage may lag. Only transfers that came and went within one poll are seen that late; payments and invoice
 * ends do not wait for it.
 */
const COVER_SECONDS = { open: 90, resting: 600 };
const HEADS_MS = OPEN_POLL_MS;
/** Resting accounts only wait for late payments: half a minute more does no harm. */
const RESTING_POLL_MS = 30_000;

/** Creates the followers that a rescan reads a network with, beside those of the workers. */
export type OpenFollowers = {
  openFollower: (network: Network) => Follower;
  openAccountFollower: (network: Network) => AccountFollower;
};

export type AccountFollowerParts = Pick<
  AccountFollowing,
  'database' | 'clock' | 'log' | 'source' | 'apply' | 'findEnds'
> &
  Partial<
    Pick<AccountFollowing, 'failpoint' | 'pollMs' | 'coverSeconds' | 'headsMs' | 'concurrency' | 'secondReadAgeSeconds'>
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
    alarmed: new Set(),
    dustLimit: undefined,
  };
}

export function createAccountFollower(parts: AccountFollowerParts): AccountFollower {
  const { secondReadAgeSeconds, exact } = readingFactsOf(parts.source.network);
  return {
    failpoint: () => {},
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
