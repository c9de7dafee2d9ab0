import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import type { FinalityRule } from '../networks/finality.ts';
import type { ChainSource, Heads } from './chain-source.ts';

/** What following one chain works with, and the little that it remembers between steps. */

/** Matching and settling, handed in by main-worker, up the folder order. Runs inside the commit. */
export type ApplyTransfers = (tx: Tx, network: string, transferIds: readonly bigint[]) => Promise<void>;

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
  watch: Watch | undefined;
  /** Blocks per read; shrinks when the provider refuses, grows when it does not. */
  range: number;
  counts: FollowerCounts;
};

export type FollowerCounts = { disagreements: number; rewinds: number; dust: number };

const START_RANGE = 50;
const GROWTH = 1.25;

export type FollowerParts = Pick<Follower, 'database' | 'clock' | 'log' | 'source' | 'owner' | 'apply'> & {
  failpoint?: (name: string) => void | Promise<void>;
};

export function createFollower(parts: FollowerParts): Follower {
  return {
    failpoint: () => {},
    ...parts,
    watch: undefined,
    range: START_RANGE,
    counts: { disagreements: 0, rewinds: 0, dust: 0 },
  };
}

export function growRange(follower: Follower): void {
  follower.range = Math.min(follower.source.maxRange, Math.ceil(follower.range * GROWTH));
}

export function shrinkRange(follower: Follower, suggested: number | undefined): void {
  follower.range = Math.max(1, Math.min(suggested ?? Number.MAX_SAFE_INTEGER, Math.floor(follower.range / 2)));
}

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
