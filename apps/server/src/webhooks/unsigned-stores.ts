import type { Clock } from '../lib/clock.ts';

/** Stores whose webhooks this process cannot sign now, skipped for a while in favour of others. */
export type UnsignedStores = {
  add(storeId: bigint): void;
  has(storeId: bigint): boolean;
  list(): bigint[];
};

const UNSIGNED_MS = 10_000;
/** Most skipped stores; beyond that, the first one is retried. */
const MAX_UNSIGNED = 1_000;

export function createUnsignedStores(clock: Clock): UnsignedStores {
  const until = new Map<bigint, number>();
  const forget = () => {
    const nowMs = clock.nowMs();
    for (const [storeId, untilMs] of until) if (untilMs <= nowMs) until.delete(storeId);
  };
  return {
    add: (storeId) => {
      until.delete(storeId);
      const [first] = until.keys();
      if (until.size >= MAX_UNSIGNED && first !== undefined) until.delete(first);
      until.set(storeId, clock.nowMs() + UNSIGNED_MS);
    },
    has: (storeId) => (until.get(storeId) ?? 0) > clock.nowMs(),
    list: () => {
      forget();
      return [...until.keys()];
    },
  };
}
