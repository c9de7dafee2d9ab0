import type { Surroundings } from './client-address.ts';
import type { Release } from './lanes.ts';

/**
 * A queue shared by clients of many networks. The first client of each network comes before the second of any, so that
 * a network with many addresses delays others by one turn. A full queue drops a client of the largest network.
 */

export type FairQueue = {
  /** Resolves to the function that ends the work; undefined if others come first in a full queue. */
  enter(from: Surroundings): Promise<Release | undefined>;
};

type Waiter = {
  from: Surroundings;
  /** Earlier clients of the same site and block. */
  ahead: { site: number; block: number };
  decide: (release: Release | undefined) => void;
};

const isBefore = (one: Waiter, other: Waiter) =>
  one.ahead.site < other.ahead.site || (one.ahead.site === other.ahead.site && one.ahead.block < other.ahead.block);

function createTally() {
  const counts = new Map<string, number>();
  const add = (name: string, by: number) => {
    const count = (counts.get(name) ?? 0) + by;
    if (count > 0) counts.set(name, count);
    else counts.delete(name);
  };
  return { of: (name: string) => counts.get(name) ?? 0, add };
}

export function createFairQueue({ atOnce, waiting: mostWaiting }: { atOnce: number; waiting: number }): FairQueue {
  const [sites, blocks] = [createTally(), createTally()];
  const waiting: Waiter[] = [];
  let running = 0;

  function tally({ site, block }: Surroundings, by: 1 | -1): void {
    sites.add(site, by);
    blocks.add(block, by);
  }

  function releaseOnce(from: Surroundings): Release {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      tally(from, -1);
      const next = waiting.shift();
      if (next) next.decide(releaseOnce(next.from));
      else running -= 1;
    };
  }

  function dropLast(): void {
    const last = waiting.pop();
    if (!last) return;
    tally(last.from, -1);
    last.decide(undefined);
  }

  return {
    enter: (from) => {
      const ahead = { site: sites.of(from.site), block: blocks.of(from.block) };
      tally(from, 1);
      if (running < atOnce) {
        running += 1;
        return Promise.resolve(releaseOnce(from));
      }
      const { promise, resolve } = Promise.withResolvers<Release | undefined>();
      const waiter = { from, ahead, decide: resolve };
      const place = waiting.findIndex((other) => isBefore(waiter, other));
      waiting.splice(place < 0 ? waiting.length : place, 0, waiter);
      if (waiting.length > mostWaiting) dropLast();
      return promise;
    },
  };
}
