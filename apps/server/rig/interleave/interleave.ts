import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../src/db/database.ts';

/**
 * Pauses a reader at a named point, runs another actor there, and lets the reader continue. Points inside a commit hold
 * locks, so an actor may have to wait for the reader: the reader then continues first.
 */

/**
 * `before`: the actor had finished when the reader continued. `beside`: the actor waited for the reader's locks, so the
 * reader's commit comes first.
 */
export type Order = 'before' | 'beside';

export type Interleaving = {
  /** The failpoint to hand to the reader. */
  failpoint: (name: string) => Promise<void>;
  /** Whether the reader has been at the point. */
  isReached: () => boolean;
  /** Waits for the actor, and returns which of the two committed first. */
  finish: () => Promise<Order>;
};

type InterleavingParts = {
  database: Database;
  point: string;
  act: () => Promise<unknown>;
  /** Called while the reader is paused, once the actor has finished; not called if the actor waits for the reader. */
  afterAct?: () => Promise<void>;
};

/** Pause between two looks, which would otherwise take most of the processor from the work that they watch. */
const LOOK_EVERY_MS = 5;

/** Returns when the work is done, or waits for a lock of another transaction. */
export async function untilDoneOrWaiting({ pool }: Database, work: Promise<unknown>): Promise<Order> {
  const state = { done: false };
  const end = () => {
    state.done = true;
  };
  work.then(end, end);
  while (!state.done) {
    const { rowCount } = await pool.query(
      `select from pg_locks l join pg_stat_activity a on a.pid = l.pid where not l.granted and a.datname = current_database()`,
    );
    if (rowCount !== 0) return 'beside';
    await wait(LOOK_EVERY_MS);
  }
  return 'before';
}

export function interleave({ database, point, act, afterAct }: InterleavingParts): Interleaving {
  let acting: Promise<unknown> | undefined;
  let order: Order = 'beside';
  return {
    failpoint: async (name) => {
      if (name !== point || acting) return;
      acting = act();
      order = await untilDoneOrWaiting(database, acting);
      if (order === 'beside') return;
      await acting;
      await afterAct?.();
    },
    isReached: () => acting !== undefined,
    finish: async () => {
      if (!acting) throw new Error(`The reader did not reach ${point}.`);
      await acting;
      return order;
    },
  };
}
