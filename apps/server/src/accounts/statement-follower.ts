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

/** What is remembered between steps, of this process alone. */
type StatementMemory = {
  /** When the platform's time was last read. */
  headReadMs: number | undefined;
  /** When nobody was found to receive at the platform; undefined when somebody was. */
  foundUnusedMs: number | undefined;
  /** For each base address of the platform: what its clock said (`measuredMs`), and our clock at that moment (`atMs`). */
  readonly measured: Map<string, { atMs: number; measuredMs: number }>;
  /** Polls under way: a slow account delays no other. */
  readonly polls: Set<Promise<void>>;
};

export type StatementFollower = StatementFollow & Counter & { readonly memory: StatementMemory };

type StatementFollowerParts = Pick<StatementFollow, 'database' | 'clock' | 'log' | 'source' | 'apply' | 'keyOf'> &
  Partial<Pick<StatementFollow, 'failpoint' | 'pollMs' | 'headMs' | 'concurrency'>>;

const CONCURRENCY = 16;
const HEAD_MS = 5_000;
/** An account whose amounts are only quarantined waits for late payments: a minute more does no harm. */
const RESTING_POLLS = 30;

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
      polls: new Set(),
    },
  };
}
