import type { Clock } from '../lib/clock.ts';

/** Ids of stores, or of endpoints, whose webhooks this process cannot sign now: skipped for a while for others. */
export type Skipped = {
  add(id: bigint): void;
  has(id: bigint): boolean;
  list(): bigint[];
};

const SKIPPED_MS = 10_000;
/** Most skipped ids; beyond that, the first one is retried. */
const MAX_SKIPPED = 1_000;

export function createSkipped(clock: Clock): Skipped {
  const until = new Map<bigint, number>();
  const forget = () => {
    const nowMs = clock.nowMs();
    for (const [id, untilMs] of until) if (untilMs <= nowMs) until.delete(id);
  };
  return {
    add: (id) => {
      until.delete(id);
      const [first] = until.keys();
      if (until.size >= MAX_SKIPPED && first !== undefined) until.delete(first);
      until.set(id, clock.nowMs() + SKIPPED_MS);
    },
    has: (id) => (until.get(id) ?? 0) > clock.nowMs(),
    list: () => {
      forget();
      return [...until.keys()];
    },
  };
}
