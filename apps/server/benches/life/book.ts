import { percentile } from '../../rig/report/percentile.ts';

/** Every life of the bench: begun, paid, and reported to the shop. */

export type Book = {
  /** Begins a life, before its invoice has a code. */
  begin: () => void;
  created: (transId: string) => void;
  mined: (transIds: readonly string[], atMs: number) => void;
  /** Ends a life: its webhook came, with a good signature. */
  told: (transId: string, atMs: number) => void;
  counts(): { begun: number; told: number; repeated: number };
  inFlight(): number;
  /** Codes of created invoices that were not reported to the shop. */
  untold(): string[];
  /** Percentiles of the time from the mined block to the webhook, of the lives that ended since the last call. */
  takeDelays(): { p50Ms: number; p99Ms: number };
};

export function openBook(): Book {
  const minedAtMs = new Map<string, number | undefined>();
  const ended = new Set<string>();
  let begun = 0;
  let repeated = 0;
  let delays: number[] = [];
  return {
    begin: () => {
      begun += 1;
    },
    created: (transId) => minedAtMs.set(transId, undefined),
    mined: (transIds, atMs) => {
      for (const transId of transIds) minedAtMs.set(transId, atMs);
    },
    told: (transId, atMs) => {
      // A webhook is sent at least once, so the same one may come again.
      if (ended.has(transId)) repeated += 1;
      else {
        const mined = minedAtMs.get(transId);
        if (mined === undefined) throw new Error(`${transId} was completed before its payment was mined.`);
        delays.push(atMs - mined);
        ended.add(transId);
        minedAtMs.delete(transId);
      }
    },
    counts: () => ({ begun, told: ended.size, repeated }),
    inFlight: () => begun - ended.size,
    untold: () => [...minedAtMs.keys()],
    takeDelays: () => {
      const taken = delays;
      delays = [];
      return { p50Ms: percentile(taken, 0.5), p99Ms: percentile(taken, 0.99) };
    },
  };
}
