import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { Fingerprint } from './account-fingerprint.ts';
import type { Network } from '../networks/network.ts';
import { profileOf } from '../networks/profile.ts';
import type { AccountHeads, ChainPosition, AccountSource } from '../sources/account-source.ts';
import type { Silence } from '../chains/ask-others.ts';
import type { DustLimit } from '../transfers/drop-coin-dust.ts';
import type { ApplyTransfers, Follower, FollowerCounts } from '../chains/follower.ts';

/** The dependencies of following a network account by account, and what is remembered between steps. */

/**
 * The earliest invoice end, in unix seconds, that waits for each followed account to be covered past it. Handed in by
 * main-worker: this folder does not know invoices.
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
  /** Balances of followed accounts at their last read, as far as this process remembers. */
  fingerprints: Map<string, Fingerprint>;
  /** Since when (ms) each missing transfer of a followed account has been missing from second reads. */
  missingSince: Map<string, ReadonlyMap<string, number>>;
  /** Since when (ms) a transaction has been shown by one provider only. */
  disputes: Map<string, number>;
  /** Since when nobody else has answered, by the provider that read first. */
  othersSilentSince: Map<string, Silence>;
  /** Alarms that this process raised and has not ended yet, so that each is raised once. */
  alarmed: Set<string>;
  /** How old a first read must be, in database time, before a second one covers it. */
  secondReadAgeSeconds: number;
  /** The heads that were read last, and when. */
  heads: { atMs: number; heads: RoundHeads } | undefined;
  /** Maximum age of `heads` when deciding what to read. The reads themselves use heads newer than their reason. */
  headsMs: number;
  /** Followed accounts polled at the same time. */
  concurrency: number;
  /** Polls under way: a slow account takes one of the `concurrency` slots and delays no other. */
  reading: Set<Promise<void>>;
  verified: boolean;
  /** Transfers of the native coin below this limit are dust. */
  dustLimit: DustLimit | undefined;
  counts: FollowerCounts & { failures: number };
};

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
    missingSince: new Map(),
    disputes: new Map(),
    othersSilentSince: new Map(),
    alarmed: new Set(),
    heads: undefined,
    verified: false,
    dustLimit: undefined,
    counts: { disagreements: 0, rewinds: 0, dust: 0, failures: 0 },
  };
}
