/** Bounds concurrent work by key (a user, an IP address): a few more wait in order, the rest is refused. */

type Lane = { running: number; waiting: (() => void)[] };

export type Release = () => void;

export type Lanes = {
  /** Resolves to the function that ends the work; undefined if too much work of the key waits. */
  enter(key: string): Promise<Release | undefined>;
  /** Whether more work of the key would wait. */
  isBusy(key: string): boolean;
};

export function createLanes({ atOnce, waiting: mostWaiting }: { atOnce: number; waiting: number }): Lanes {
  const lanes = new Map<string, Lane>();

  function leave(key: string, lane: Lane): void {
    const next = lane.waiting.shift();
    if (next) {
      next();
      return;
    }
    lane.running -= 1;
    if (lane.running === 0) lanes.delete(key);
  }

  function releaseOnce(key: string, lane: Lane): Release {
    let isOver = false;
    return () => {
      if (!isOver) leave(key, lane);
      isOver = true;
    };
  }

  return {
    isBusy: (key) => (lanes.get(key)?.running ?? 0) >= atOnce,
    enter: (key) => {
      const lane = lanes.get(key) ?? { running: 0, waiting: [] };
      if (lane.running >= atOnce && lane.waiting.length >= mostWaiting) return Promise.resolve(undefined);
      if (lane.running >= atOnce) {
        const { promise, resolve } = Promise.withResolvers<Release>();
        lane.waiting.push(() => resolve(releaseOnce(key, lane)));
        return promise;
      }
      lane.running += 1;
      lanes.set(key, lane);
      return Promise.resolve(releaseOnce(key, lane));
    },
  };
}
