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

/** The follower of a network that is read account by account. */

/** Earliest invoice end (unix s) that waits for each account. Injected: `accounts` must not import invoices. */
export type FindEnds = (network: string, accounts: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** Settings and dependencies; immutable. */
export type AccountFollowing = Readonly<{
  database: Database;
  clock: Clock;
  log: Logger;
  source: AccountSource;
  apply: ApplyTransfers;
  findEnds: FindEnds;
  /** Named points for drills and tests; does nothing otherwise. */
  failpoint: (name: string) => void | Promise<void>;
  /** Milliseconds between polls: `open` while a quote is open, `resting` while amounts are only quarantined. */
  pollMs: { open: number; resting: number };
  /** How far coverage may lag the final block while nothing happens and no invoice end waits for it. */
  coverSeconds: { open: number; resting: number };
  secondReadAgeSeconds: number;
  /** Monotonic clock, against which the database's clock is checked. */
  steady: Clock;
  /** Whether answers are immediately complete and final: no wait before second reads; missing transfers are gone. */
  exact: boolean;
  /** Maximum age of the heads that plan reads. Reads go up to heads read after the balances changed. */
  headsMs: number;
  concurrency: number;
}> &
  Counter;

/** State between steps, shared by polls; each field is written only by the file named in its comment. */
type AccountMemory = {
  /** Whether the source serves the right network. Written by `follow-accounts`, like the next three fields. */
  verified: boolean;
  heads: { atMs: number; heads: RoundHeads } | undefined;
  /** Fingerprints (balances) of followed accounts at their last read. */
  readonly fingerprints: Map<string, Fingerprint>;
  /** Polls in progress: a slow account takes one of the `concurrency` slots and delays no other. */
  readonly reading: Set<Promise<void>>;
  readonly missingSince: Map<string, ReadonlyMap<string, number>>;
  readonly disputes: Map<string, number>;
} & SilenceMemory &
  HeadMemory &
  DatabaseClockMemory &
  AlarmMemory &
  DustMemory;

export type AccountFollower = AccountFollowing & { readonly memory: AccountMemory };

export type RoundHeads = AccountHeads & {
  /** Confirmed heads of earlier polls, newest first: nodes have indexed up to these by now. */
  past: readonly ChainPosition[];
};

const CONCURRENCY = 16;
const OPEN_POLL_MS = 2_000;
/** How far coverage may lag: only a transfer that came and was spent between two polls is seen that late. */
const COVER_SECONDS = { open: 90, resting: 600 };
const HEADS_MS = OPEN_POLL_MS;
/** Resting accounts only wait for late payments, so half a minute is soon enough. */
const RESTING_POLL_MS = 30_000;

/** Creates followers for a rescan, separate from those of workers. */
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
