/** Turns of stores whose deliveries wait because their receivers are not proven: a few stores are read at a time. */

/** A store whose turn it is, and the endpoint at which its last read ended. */
export type Turn = { storeId: bigint; after: bigint };

export type Turns = {
  add(storeIds: Iterable<bigint>): void;
  waiting(): bigint[];
  /**
   * The stores that have waited longest and can be given a slot, at most `most`; these stores come last the next time.
   */
  next(most: number, hasRoom: (storeId: bigint) => boolean): Turn[];
  /** Notes at which endpoint the store's read ended. */
  reach(storeId: bigint, endpointId: bigint): void;
  /** Ends the store's turns: none of its deliveries waits any more. */
  end(storeId: bigint): void;
};

/**
 * The most stores that wait for turns. Beyond that, deliveries of the longest waiting store are found by age again,
 * like all others.
 */
const MAX_WAITING = 10_000;
/** The position before a store's first endpoint: endpoint ids begin at 1. */
export const BEGINNING = 0n;

export function createTurns(): Turns {
  const waiting = new Map<bigint, bigint>();

  return {
    add: (storeIds) => {
      for (const storeId of storeIds) if (!waiting.has(storeId)) waiting.set(storeId, BEGINNING);
      for (const oldest of waiting.keys()) {
        if (waiting.size <= MAX_WAITING) break;
        waiting.delete(oldest);
      }
    },
    waiting: () => [...waiting.keys()],
    next: (most, hasRoom) => {
      const chosen: Turn[] = [];
      for (const [storeId, after] of waiting) {
        if (chosen.length === most) break;
        if (hasRoom(storeId)) chosen.push({ storeId, after });
      }
      for (const { storeId, after } of chosen) {
        waiting.delete(storeId);
        waiting.set(storeId, after);
      }
      return chosen;
    },
    reach: (storeId, endpointId) => {
      if (waiting.has(storeId)) waiting.set(storeId, endpointId);
    },
    end: (storeId) => {
      waiting.delete(storeId);
    },
  };
}
