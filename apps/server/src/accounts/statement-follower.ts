import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { ExchangeKey, StatementSource } from '../platforms/statement-source.ts';
import type { ExchangeAccountRow } from '../wallets/exchange-account-sql.ts';
import type { Counter } from '../chains/follower-counts.ts';
import { createCounter } from '../chains/follower-counts.ts';
import type { ApplyTransfers } from '../chains/follower.ts';

/** What following the exchange accounts of a platform works with. */
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
  /** How long a platform's time is shown before it is asked again. */
  readonly headMs: number;
  /** Exchange accounts polled at the same time. */
  readonly concurrency: number;
};

/** What is remembered of an exchange account between its polls. */
export type StatementNotes = {
  /** Since when more than the newest rows was refused, and until when it is not asked for again; undefined when it was read. */
  refused: { sinceMs: number; untilMs: number } | undefined;
  /** Length of the first part of a gap; shorter after each refusal of it. */
  firstPartMs: number;
  /** When all pending rows were last read again, and the time of the one that was read last in a round under way. */
  pendingReadMs: number | undefined;
  pendingAfterMs: number;
};

/** What is remembered between steps, of this process alone. */
type StatementMemory = {
  /** When the platform's time was last read. */
  headReadMs: number | undefined;
  /** When nobody was found to receive at the platform; undefined when somebody was. */
  foundUnusedMs: number | undefined;
  /** For each base address of the platform: what its clock said (`measuredMs`), and our clock at that moment (`atMs`). */
  readonly measured: Map<string, { atMs: number; measuredMs: number }>;
  /** The base address whose clock answered last. */
  answeredUrl: string | undefined;
  /** By exchange account. What is forgotten costs a few reads more. */
  readonly notes: Map<string, StatementNotes>;
  /** Polls under way: a slow account delays no other. */
  readonly polls: Set<Promise<void>>;
};

export type StatementFollower = StatementFollow & Counter & { readonly memory: StatementMemory };

type StatementFollowerParts = Pick<StatementFollow, 'database' | 'clock' | 'log' | 'source' | 'apply' | 'keyOf'> &
  Partial<Pick<StatementFollow, 'failpoint' | 'pollMs' | 'headMs' | 'concurrency'>>;

const CONCURRENCY = 16;
const HEAD_MS = 5_000;
/** An exchange account whose amounts are only quarantined waits for late payments: a minute more does no harm. */
const RESTING_POLLS = 30;
/** Exchange accounts that are remembered; the one that was noted first is forgotten when there are more. */
const MAX_NOTES = 10_000;
/** A gap is read in parts, the first of them an hour: longer than any range of an undisturbed poll. */
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
