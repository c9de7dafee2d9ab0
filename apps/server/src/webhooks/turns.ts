/** Stores that something of waits for, because their receivers have not answered well: they are looked at in turns. */

/** A store whose turn it is, and the endpoint that its last look ended at. */
export type Turn = { storeId: bigint; after: bigint };

export type Turns = {
  add(storeIds: Iterable<bigint>): void;
  waiting(): bigint[];
  /** Those that wait longest, and can be given a place, at most `most`; they come last the next time. */
  next(most: number, hasRoom: (storeId: bigint) => boolean): Turn[];
  /** Its look ended at that endpoint. */
  reach(storeId: bigint, endpointId: bigint): void;
  /** Nothing of it waits any more. */
  end(storeId: bigint): void;
};

/** Whoever waits longest is looked at with everybody else beyond that. */
const MAX_WAITING = 10_000;
/** Ids begin after it. */
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
