import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { ExchangeKey, StatementSource } from '../platforms/statement-source.ts';
import type { ExchangeAccountRow } from '../wallets/exchange-account-sql.ts';
import type { Counter } from '../chains/follower-counts.ts';
import { createCounter } from '../chains/follower-counts.ts';
import type { ApplyTransfers } from '../chains/follower.ts';

/** Settings and dependencies of the loop. */
type StatementFollow = {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly source: StatementSource;
  readonly apply: ApplyTransfers;
  readonly keyOf: (account: ExchangeAccountRow) => Promise<ExchangeKey>;
  /** Named points for drills and tests; does nothing otherwise. */
  readonly failpoint: (name: string) => void | Promise<void>;
  /** Milliseconds between polls: `open` while a quote is open, `resting` while amounts are only quarantined. */
  readonly pollMs: { open: number; resting: number };
  readonly headMs: number;
  readonly concurrency: number;
};

export type StatementNotes = {
  /** Since when the platform has refused more than the newest rows, and until when no more is requested. */
  refused: { sinceMs: number; untilMs: number } | undefined;
  /** First part of a long range, as after an outage; shorter after each refusal. */
  firstPartMs: number;
  /** When all pending rows were last read; during a round, the time of the row that was read last. */
  pendingReadMs: number | undefined;
  pendingAfterMs: number;
};

type StatementMemory = {
  headReadMs: number | undefined;
  foundUnusedMs: number | undefined;
  readonly measured: Map<string, { atMs: number; measuredMs: number }>;
  answeredUrl: string | undefined;
  /** Losing these only costs a few more reads. */
  readonly notes: Map<string, StatementNotes>;
  /** Steps do not wait for polls, so that a slow account delays no other. */
  readonly polls: Set<Promise<void>>;
};

export type StatementFollower = StatementFollow & Counter & { readonly memory: StatementMemory };

type StatementFollowerParts = Pick<StatementFollow, 'database' | 'clock' | 'log' | 'source' | 'apply' | 'keyOf'> &
  Partial<Pick<StatementFollow, 'failpoint' | 'pollMs' | 'headMs' | 'concurrency'>>;

const CONCURRENCY = 16;
const HEAD_MS = 5_000;
/** Factor of the poll interval while amounts are only quarantined: late payments can wait a minute. */
const RESTING_POLLS = 30;
/** Most accounts with notes; the oldest are dropped. */
const MAX_NOTES = 10_000;
/** An hour: longer than any range of a poll after successful polls. */
export const FIRST_PART_MS = 3_600_000;

export function notesOf({ notes }: StatementMemory, account: string): StatementNotes {
  const known = notes.get(account);
  if (known) return known;
  const [first] = notes.keys();
  if (notes.size >= MAX_NOTES && first !== undefined) notes.delete(first);
  const fresh = { refused: undefined, firstPartMs: FIRST_PART_MS, pendingReadMs: undefined, pendingAfterMs: 0 };
  notes.set(account, fresh);
  return fresh;
}

export function createStatementFollower(parts: StatementFollowerParts): StatementFollower {
  const { pollMs } = parts.source.network;
  return {
    failpoint: () => {},
    pollMs: { open: pollMs, resting: pollMs * RESTING_POLLS },
    headMs: HEAD_MS,
    concurrency: CONCURRENCY,
    ...parts,
    ...createCounter(),
    memory: {
      headReadMs: undefined,
      foundUnusedMs: undefined,
      measured: new Map(),
      answeredUrl: undefined,
      notes: new Map(),
      polls: new Set(),
    },
  };
}
