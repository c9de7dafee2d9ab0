import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { ExchangeKey, StatementSource } from '../platforms/statement-source.ts';
import type { ExchangeAccountRow } from '../wallets/exchange-account-sql.ts';
import type { Counter } from '../chains/follower-counts.ts';
import { createCounter } from '../chains/follower-counts.ts';
import type { ApplyTransfers } from '../chains/follower.ts';

/** What the loop that follows a platform's exchange accounts works with. */
type StatementFollow = {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly source: StatementSource;
  readonly apply: ApplyTransfers;
  /** Opens the key of an exchange account. */
  readonly keyOf: (account: ExchangeAccountRow) => Promise<ExchangeKey>;
  /** Named points where a drill may kill the process or a test may step in; does nothing otherwise. */
  readonly failpoint: (name: string) => void | Promise<void>;
  /** Milliseconds between polls: `open` while a quote is open, `resting` while amounts are only quarantined. */
  readonly pollMs: { open: number; resting: number };
  /** How long the platform's time is stored as its network's head before the platform is asked for its time again. */
  readonly headMs: number;
  /** How many exchange accounts are polled at the same time. */
  readonly concurrency: number;
};

/** What is remembered of an exchange account between its polls. */
export type StatementNotes = {
  /**
   * Since when the platform has refused to show more than the newest rows, and until when it is not asked for more;
   * undefined once it has shown more.
   */
  refused: { sinceMs: number; untilMs: number } | undefined;
  /** Length of the first part when a long range is read in parts, as after an outage; shorter after each refusal. */
  firstPartMs: number;
  /**
   * When all pending rows were last read again; and, while a round through them is under way, the time of the row that
   * was read last.
   */
  pendingReadMs: number | undefined;
  pendingAfterMs: number;
};

/** What this process remembers between the steps of its loop. */
type StatementMemory = {
  /** When the platform's time was last read. */
  headReadMs: number | undefined;
  /** When it was last found that no store receives at the platform; undefined when a store does. */
  foundUnusedMs: number | undefined;
  /** For each base address of the platform: what its clock said (`measuredMs`), and our clock at that moment (`atMs`). */
  readonly measured: Map<string, { atMs: number; measuredMs: number }>;
  /** The base address whose clock answered last. */
  answeredUrl: string | undefined;
  /** Notes by exchange account. Forgetting them costs only a few more reads. */
  readonly notes: Map<string, StatementNotes>;
  /** Polls under way; a step does not wait for them, so that a slow exchange account delays no other. */
  readonly polls: Set<Promise<void>>;
};

export type StatementFollower = StatementFollow & Counter & { readonly memory: StatementMemory };

type StatementFollowerParts = Pick<StatementFollow, 'database' | 'clock' | 'log' | 'source' | 'apply' | 'keyOf'> &
  Partial<Pick<StatementFollow, 'failpoint' | 'pollMs' | 'headMs' | 'concurrency'>>;

const CONCURRENCY = 16;
const HEAD_MS = 5_000;
/**
 * How many times longer the wait between polls is while an exchange account's amounts are only quarantined: only late
 * payments can come, so a minute more does no harm.
 */
const RESTING_POLLS = 30;
/** How many exchange accounts have notes in memory; beyond that the oldest notes are forgotten. */
const MAX_NOTES = 10_000;
/**
 * The usual length of the first part when a long range is read in parts: an hour, longer than any range of a poll when
 * the polls before it succeeded.
 */
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
