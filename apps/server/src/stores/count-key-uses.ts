import type pg from 'pg';
import type { Clock } from '../lib/clock.ts';
import { addKeyUses } from './key-use-sql.ts';

/** How often a process writes what it has counted. */
export const KEY_USES_EVERY_MS = 3_000;
/** How many API keys are counted between two writes; the uses of further keys are not counted. */
const MAX_KEYS = 10_000;
/** How many API keys one statement writes. */
const MAX_WRITTEN = 1_000;

type KeyUses = {
  /** Counts one use of the API key with this hash. */
  count: (hash: Buffer) => void;
  /** Adds what was counted to the days of the API keys. */
  write: () => Promise<void>;
};

/**
 * Counts in memory how often API keys are used, so that no request waits for it. What a write could not add is
 * forgotten and not added again: numbers may be too low, never too high.
 */
export function createKeyUses(pool: pg.Pool, clock: Clock): KeyUses {
  let counted = new Map<string, { calls: number; lastMs: number }>();
  return {
    count: (hash) => {
      const name = hash.toString('latin1');
      const use = counted.get(name);
      if (use) {
        use.calls += 1;
        use.lastMs = clock.nowMs();
      } else if (counted.size < MAX_KEYS) counted.set(name, { calls: 1, lastMs: clock.nowMs() });
    },
    write: async () => {
      const uses = [...counted].map(([name, { calls, lastMs }]) => ({
        hash: Buffer.from(name, 'latin1'),
        calls,
        lastUsedAt: new Date(lastMs),
      }));
      counted = new Map();
      for (let from = 0; from < uses.length; from += MAX_WRITTEN) {
        await addKeyUses(pool, uses.slice(from, from + MAX_WRITTEN));
      }
    },
  };
}
