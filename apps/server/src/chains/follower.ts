import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { steadyClock } from '../lib/clock.ts';
import type { FinalityRule } from '../networks/finality.ts';
import { profileOf } from '../networks/profile.ts';
import type { OthersDepth } from './agree-on-depth.ts';
import type { SilenceMemory } from './ask-others.ts';
import type { Counter } from './follower-counts.ts';
import { createCounter } from './follower-counts.ts';
import type { AlarmMemory } from './raise-chain-alarm.ts';
import type { DatabaseClockMemory } from './database-clock.ts';
import { newDatabaseClock } from './database-clock.ts';
import type { PastHeadsMemory } from './past-heads.ts';
import type { HeadMemory } from './watch-heads.ts';
import type { Ranges } from './block-range.ts';
import type { ChainSource, Heads, SourceErrorKind } from '../sources/chain-source.ts';
import type { DustMemory } from '../transfers/drop-coin-dust.ts';

/** The follower of one chain: dependencies of its loops, and their state. */

/**
 * Matches and settles recorded transfers in the recording transaction. Injected by main-worker, because `invoices` is
 * later in the folder order. `invoiceIds` lost a transfer.
 */
export type ApplyTransfers = (
  tx: Tx,
  network: string,
  transferIds: readonly bigint[],
  invoiceIds?: readonly bigint[],
) => Promise<void>;

/** Addresses whose transfers are recorded, in comparison form. Each change raises the version. */
export type Watch = { version: bigint; addresses: ReadonlyMap<string, string> };

/** Dependencies and settings. */
export type Following = Readonly<{
  database: Database;
  clock: Clock;
  log: Logger;
  source: ChainSource;
  owner: string;
  apply: ApplyTransfers;
  /** Named points for drills and tests; does nothing otherwise. */
  failpoint: (name: string) => void | Promise<void>;
  /** Age of a first read, in database time, before its second read. */
  secondReadAgeMs: number;
  /** Monotonic clock, against which the database's clock is checked. */
  steady: Clock;
  /** Monotonic clock for the age of blocks. */
  ageClock: Clock;
  /** Speed of the chain's clock relative to real time, in tests. */
  clockRate: number;
}> &
  Counter;

/** State of a chain's loops; each part is written only by the file named in its comment. */
export type ChainMemory = {
  /** Last loaded watch set. Written by `filter-transfers`. */
  watch: Watch | undefined;
  /** Blocks per read. Written by `block-range`. */
  readonly ranges: Ranges;
  /** Tiers that have coverage in the database. Written by `follow-chain`. */
  tiers: readonly string[] | undefined;
  /** Heads of the last first read. Written by `follow-chain`. */
  heads: Heads | undefined;
  /** `count`: reads of the head. `proved`: count without anything left to prove. Written by `follow-chain`. */
  readonly headReads: { count: number; proved: number };
  /** Refused reads by tier or head, and since when. Written by `follow-chain`. */
  readonly refusals: Map<string, { kind: SourceErrorKind; sinceMs: number }>;
  /** What others last called settled; they are asked again only about higher blocks. Written by `agree-on-depth`. */
  othersDepth: OthersDepth | undefined;
  /** Transfers that their receipt did not prove, and when each is retried. Written by `prove-transfers`. */
  readonly retries: Map<bigint, { tries: number; atMs: number }>;
  /** Transactions on which two reads disagree, and since when. Written by `settle-differences`. */
  readonly doubts: Map<string, number>;
} & SilenceMemory &
  HeadMemory &
  PastHeadsMemory &
  DatabaseClockMemory &
  AlarmMemory &
  DustMemory;

export type Follower = Following & { readonly memory: ChainMemory };

type FollowerParts = Pick<Following, 'database' | 'clock' | 'log' | 'source' | 'owner' | 'apply'> & {
  failpoint?: (name: string) => void | Promise<void>;
  steady?: Clock;
  ageClock?: Clock;
  /** Speed of the clock relative to real time, in tests; 1 by default. */
  clockRate?: number;
};

function createMemory(): ChainMemory {
  return {
    watch: undefined,
    ranges: new Map(),
    tiers: undefined,
    heads: undefined,
    headReads: { count: 0, proved: 0 },
    databaseClock: newDatabaseClock(),
    pastHeads: { rewinds: 0n, seen: [] },
    highest: { head: undefined, final: undefined },
    standing: new Set(),
    refusals: new Map(),
    othersDepth: undefined,
    retries: new Map(),
    doubts: new Map(),
    othersSilentSince: new Map(),
    alarmed: new Set(),
    dustLimit: undefined,
  };
}

export function createFollower({ clockRate = 1, ...parts }: FollowerParts): Follower {
  return {
    failpoint: () => {},
    steady: steadyClock,
    ageClock: steadyClock,
    ...parts,
    clockRate,
    secondReadAgeMs: (profileOf(parts.source.network).secondReadAgeSeconds * 1000) / clockRate,
    ...createCounter(),
    memory: createMemory(),
  };
}

/**
 * The highest block that a rule calls settled. The head block has one confirmation. `agedHeight`: the highest stored
 * header that is old enough, for rules by age.
 */
export function settledHeight(rule: FinalityRule, heads: Heads, agedHeight: number | undefined): number | undefined {
  switch (rule.kind) {
    case 'confirmations':
      return heads.latest.height - (rule.count - 1);
    case 'age':
      return agedHeight;
    case 'safe':
      return heads.safe?.height;
    case 'finalized':
      return heads.finalized.height;
    case 'credited':
      throw new Error('No height settles what a platform credits.');
  }
}
