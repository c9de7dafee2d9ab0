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

/** The follower of one chain: what its loops work with, and what the loops remember between steps. */

/**
 * Matches and settles recorded transfers inside the transaction that records them. A callback that main-worker hands
 * in, because `invoices` comes later in the folder order. `invoiceIds` are invoices that lost a transfer.
 */
export type ApplyTransfers = (
  tx: Tx,
  network: string,
  transferIds: readonly bigint[],
  invoiceIds?: readonly bigint[],
) => Promise<void>;

/**
 * The watch set: addresses whose transfers are recorded, by the form in which addresses are compared. Each change
 * raises its version.
 */
export type Watch = { version: bigint; addresses: ReadonlyMap<string, string> };

/** What the loops of a chain work with. */
export type Following = Readonly<{
  database: Database;
  clock: Clock;
  log: Logger;
  source: ChainSource;
  /** Name of this process in the chain's lease. */
  owner: string;
  apply: ApplyTransfers;
  /** Called at named points where a drill may kill the process or a test may step in; does nothing otherwise. */
  failpoint: (name: string) => void | Promise<void>;
  /** Age of a first read, in database time, from which a second read may cover its range. */
  secondReadAgeMs: number;
  /** Clock that no correction moves, with which the database's clock is compared. */
  steady: Clock;
  /** Clock that no correction moves, by which blocks grow old. */
  ageClock: Clock;
  /** How much faster than real time the chain's clock runs, in tests. */
  clockRate: number;
}> &
  Counter;

/**
 * What the loops of a chain remember between steps. The loops share this memory, so it is changed in place; each part
 * is written by one file alone, and its comment names the file.
 */
export type ChainMemory = {
  /** The watch set as it was loaded last. Written by `filter-transfers`. */
  watch: Watch | undefined;
  /** How many blocks a read asks for. Written by `block-range`. */
  readonly ranges: Ranges;
  /** Tiers that have coverage in the database. Written by `follow-chain`. */
  tiers: readonly string[] | undefined;
  /** Heads of the last first read. Written by `follow-chain`. */
  heads: Heads | undefined;
  /**
   * `count`: how often the head was read. `proved`: the count up to which the proving loop has nothing left to prove.
   * Written by `follow-chain`.
   */
  readonly headReads: { count: number; proved: number };
  /** How reads of a tier, or of the head, are refused, and since when. Written by `follow-chain`. */
  readonly refusals: Map<string, { kind: SourceErrorKind; sinceMs: number }>;
  /**
   * What the other providers last called settled; these providers are asked again only about higher blocks. Written by
   * `agree-on-depth`.
   */
  othersDepth: OthersDepth | undefined;
  /**
   * Transfers whose receipt did not prove them, by id, and when each receipt is asked for again. Written by
   * `prove-transfers`.
   */
  readonly retries: Map<bigint, { tries: number; atMs: number }>;
  /** Transactions on which two reads of a tier disagree, and since when. Written by `settle-differences`. */
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
  /** How much faster than real time the clock runs, in tests; 1 by default. */
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
 * The highest block that a finality rule calls settled. A payment in the head block has one confirmation. `agedHeight`
 * is the highest stored header that is old enough, for rules by age.
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
