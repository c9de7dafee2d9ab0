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

/** What following one chain works with, and the little that it remembers between steps. */

/**
 * Matching and settling, handed in by main-worker, up the folder order. Runs inside the commit. `invoiceIds` are invoices
 * that lost a transfer.
 */
export type ApplyTransfers = (
  tx: Tx,
  network: string,
  transferIds: readonly bigint[],
  invoiceIds?: readonly bigint[],
) => Promise<void>;

export type Watch = { version: bigint; addresses: ReadonlyMap<string, string> };

export type Follower = {
  database: Database;
  clock: Clock;
  log: Logger;
  source: ChainSource;
  /** This process, as the lease names it. */
  owner: string;
  apply: ApplyTransfers;
  /** Named points where a drill may kill the process or a test may step in; does nothing otherwise. */
  failpoint: (name: string) => void | Promise<void>;
  /** How old a first read must be, in database time, before a second one covers its range. */
  secondReadAgeMs: number;
  watch: Watch | undefined;
  /** Blocks per first read; shrinks when the provider refuses, grows when it does not. */
  range: number;
  /** The same for second reads, by tier. */
  tierRanges: Map<string, number>;
  /** The tiers that are covered, as the database has them. */
  tiers: readonly string[] | undefined;
  /** What the node last called its heads. */
  heads: Heads | undefined;
  /** How often the head was read, and for which of these readings proofs were last looked for. */
  turns: { read: number; proved: number };
  /** By the name of a provider, since when none of the others has answered. */
  othersSilentSince: Map<string, Silence>;
  /** What they last called settled: asked again only for more. */
  othersDepth: OthersDepth | undefined;
  /** Payments whose receipt proved nothing: when each is asked for again. */
  retries: Map<bigint, { tries: number; atMs: number }>;
  /** Since when each tier, or the head, has met answers that cannot be true together. */
  disagreements: Map<string, number>;
  /** Transfers that two questions disagree on: since when. */
  doubts: Map<string, number>;
  /** What a person has been told and need not be told again while it lasts. */
  alarmed: Set<string>;
  /** The highest block that was called final, and since when. */
  finality: { height: number; sinceMs: number } | undefined;
  /** Below so much a coin is dust. */
  dustLimit: DustLimit | undefined;
  counts: FollowerCounts;
};

export type FollowerCounts = { disagreements: number; rewinds: number; dust: number };

const START_RANGE = 50;
const GROWTH = 1.25;

export type FollowerParts = Pick<Follower, 'database' | 'clock' | 'log' | 'source' | 'owner' | 'apply'> & {
  failpoint?: (name: string) => void | Promise<void>;
  /** Of a clock that runs faster than time. */
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
    turns: { read: 0, proved: 0 },
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

/** A range after `blocks` of it were read: only what was read in full may be asked for in larger pieces. */
export function grownRange(range: number, blocks: number, maxRange: number): number {
  return blocks < range ? range : Math.min(maxRange, Math.ceil(range * GROWTH));
}

export function shrunkRange(range: number, suggested: number | undefined): number {
  return Math.max(1, Math.min(suggested ?? Number.MAX_SAFE_INTEGER, Math.floor(range / 2)));
}

export const tierRange = (follower: Follower, tier: string) => follower.tierRanges.get(tier) ?? START_RANGE;

/**
 * The highest block that a rule calls settled. A payment in the head block has one confirmation. `agedHeight` is the
 * highest held block that is old enough, for rules by age.
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
  }
}
