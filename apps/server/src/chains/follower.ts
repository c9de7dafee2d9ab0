import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import type { FinalityRule } from '../networks/finality.ts';
import { profileOf } from '../networks/profile.ts';
import type { OthersDepth } from './agree-on-depth.ts';
import type { Silence } from './ask-others.ts';
import type { ChainSource, Heads } from '../sources/chain-source.ts';
import type { DustLimit } from '../transfers/drop-coin-dust.ts';

/** The follower of one chain: what its loops work with, and what they remember between steps. */

/**
 * Matches and settles recorded transfers inside the transaction that records them. A callback, because invoices come
 * later in the folder order: main-worker hands it in. `invoiceIds` are invoices that lost a transfer.
 */
export type ApplyTransfers = (
  tx: Tx,
  network: string,
  transferIds: readonly bigint[],
  invoiceIds?: readonly bigint[],
) => Promise<void>;

/** The watch set: addresses whose transfers are recorded, by comparable form. Each change raises its version. */
export type Watch = { version: bigint; addresses: ReadonlyMap<string, string> };

export type Follower = {
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
  watch: Watch | undefined;
  /** Blocks per first read; shrinks when the provider refuses, grows when it does not. */
  range: number;
  /** Blocks per second read, by tier; shrinks and grows like `range`. */
  tierRanges: Map<string, number>;
  /** Tiers that have coverage in the database. */
  tiers: readonly string[] | undefined;
  /** Heads of the last first read. */
  heads: Heads | undefined;
  /** `count`: how often the head was read. `proved`: the count up to which the other loop has nothing left to prove. */
  headReads: { count: number; proved: number };
  /** Silence of all other providers, by the name of the provider that does answer. */
  othersSilentSince: Map<string, Silence>;
  /** What the other providers last called settled; they are asked again only about higher blocks. */
  othersDepth: OthersDepth | undefined;
  /** Transfers whose receipt did not prove them, by id: when each is asked for again. */
  retries: Map<bigint, { tries: number; atMs: number }>;
  /** Since when reads of a tier, or of the head, get answers that contradict each other. */
  disagreements: Map<string, number>;
  /** Transactions on which two reads of a tier disagree: since when. */
  doubts: Map<string, number>;
  /** Alarms that were raised and whose cause still lasts. */
  alarmed: Set<string>;
  /** Highest block that was called final, and since when it has been the highest. */
  finality: { height: number; sinceMs: number } | undefined;
  /** Amount of the network's own coin below which it is dust. */
  dustLimit: DustLimit | undefined;
  counts: FollowerCounts;
};

export type FollowerCounts = { disagreements: number; rewinds: number; dust: number };

const START_RANGE = 50;
const GROWTH = 1.25;

type FollowerParts = Pick<Follower, 'database' | 'clock' | 'log' | 'source' | 'owner' | 'apply'> & {
  failpoint?: (name: string) => void | Promise<void>;
  /** How much faster than real time the clock runs, in tests; 1 by default. */
  clockRate?: number;
};

export function createFollower({ clockRate = 1, ...parts }: FollowerParts): Follower {
  return {
    failpoint: () => {},
    ...parts,
    secondReadAgeMs: (profileOf(parts.source.network).secondReadAgeSeconds * 1000) / clockRate,
    watch: undefined,
    range: START_RANGE,
    tierRanges: new Map(),
    tiers: undefined,
    heads: undefined,
    headReads: { count: 0, proved: 0 },
    othersSilentSince: new Map(),
    othersDepth: undefined,
    retries: new Map(),
    disagreements: new Map(),
    doubts: new Map(),
    alarmed: new Set(),
    finality: undefined,
    dustLimit: undefined,
    counts: { disagreements: 0, rewinds: 0, dust: 0 },
  };
}

/** The next range after `blocks` were read: it grows only if a full range was read, not at the chain's end. */
export function grownRange(range: number, blocks: number, maxRange: number): number {
  return blocks < range ? range : Math.min(maxRange, Math.ceil(range * GROWTH));
}

export function shrunkRange(range: number, suggested: number | undefined): number {
  return Math.max(1, Math.min(suggested ?? Number.MAX_SAFE_INTEGER, Math.floor(range / 2)));
}

export const tierRange = (follower: Follower, tier: string) => follower.tierRanges.get(tier) ?? START_RANGE;

/**
 * The highest block that a rule calls settled. A payment in the head block has one confirmation. `agedHeight` is the
 * highest stored header that is old enough, for rules by age.
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
