/** Turns of stores with waiting unproven receivers, a few at a time. */

export type Turn = { storeId: bigint; after: bigint };

export type Turns = {
  add(storeIds: Iterable<bigint>): void;
  waiting(): bigint[];
  /** At most `most` longest-waiting stores with room; they come last the next time. */
  next(most: number, hasRoom: (storeId: bigint) => boolean): Turn[];
  /** Records the endpoint at which the store's read ended. */
  reach(storeId: bigint, endpointId: bigint): void;
  /** Ends the store's turns: none of its deliveries waits. */
  end(storeId: bigint): void;
};

/** Beyond this, the longest-waiting store is read by age again. */
const MAX_WAITING = 10_000;
/** Before a store's first endpoint: ids begin at 1. */
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
