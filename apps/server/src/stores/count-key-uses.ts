import type pg from 'pg';
import type { Clock } from '../lib/clock.ts';
import { addKeyUses } from './key-use-sql.ts';

/** Interval of writes. */
export const KEY_USES_EVERY_MS = 3_000;
/** Most API keys counted between two writes; further ones are not counted. */
const MAX_KEYS = 10_000;
/** Most API keys per statement. */
const MAX_WRITTEN = 1_000;

type KeyUses = {
  /** Counts one use of an API key. */
  count: (hash: Buffer) => void;
  /** Adds the counts to the keys' days. */
  write: () => Promise<void>;
};

/** Counts key uses in memory. Failed writes are dropped: numbers may be too low, never too high. */
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
