import { withCopy } from './copy.ts';
import type { Run } from './runner.ts';
import { withRunner } from './runner.ts';

/** Copies of the tree in which bugs are planted and tests run, side by side. */

/** A copy of the source tree, and a runner for its tests. */
export type Room = { folder: string; run: Run };
export type Site = { rooms: readonly [Room, ...Room[]]; signal: AbortSignal };

/** Distributes items over the rooms, one item per room at a time, until all are done, one fails, or the signal aborts. */
export async function share<T>(
  site: Site,
  items: readonly T[],
  work: (room: Room, item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const failed = new AbortController();
  const signal = AbortSignal.any([site.signal, failed.signal]);
  const takeAll = async (room: Room) => {
    for (let item = left.shift(); item !== undefined && !signal.aborted; item = left.shift()) await work(room, item);
  };
  // A room that is still at work finishes its item before an error of another ends the run.
  const ended = await Promise.allSettled(
    site.rooms.map((room) =>
      takeAll(room).catch((cause: unknown) => {
        failed.abort();
        throw cause;
      }),
    ),
  );
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

/** Two copies of the tree: one for each core of a small machine. */
export const withRooms = <T>(use: (rooms: [Room, Room]) => Promise<T>): Promise<T> =>
  withCopy((first) =>
    withCopy((second) =>
      withRunner(first, (run) =>
        withRunner(second, (runToo) =>
          use([
            { folder: first, run },
            { folder: second, run: runToo },
          ]),
        ),
      ),
    ),
  );
