import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type pg from 'pg';
import type { Database } from './database.ts';
import { isDatabaseError } from './database.ts';
import type { Tables } from './tables.ts';

export type Tx = Transaction<Tables>;

const MAX_TRIES = 5;
const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';

/** Whether a transaction failed only by a conflict with another transaction, and may succeed when it is run again. */
function isTransient(cause: unknown): boolean {
  return isDatabaseError(cause, DEADLOCK) || isDatabaseError(cause, SERIALIZATION_FAILURE);
}

const effectsOf = new WeakMap<Tx, (() => void)[]>();

/** Calls `effect` once the transaction has committed; never when it is rolled back. For counts of this process only. */
export function afterCommit(tx: Tx, effect: () => void): void {
  effectsOf.get(tx)?.push(effect);
}

/** Runs `work` in a transaction: all of it commits, or nothing. Only SQL and pure code belong inside. */
export async function inTransaction<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const effects: (() => void)[] = [];
    try {
      const result = await database.queries.transaction().execute((tx) => {
        effectsOf.set(tx, effects);
        return work(tx);
      });
      for (const effect of effects) effect();
      return result;
    } catch (cause) {
      if (!isTransient(cause) || tries >= MAX_TRIES) throw cause;
    }
  }
}

/** Runs reads that all see the same moment, whatever is written meanwhile. */
export async function inSnapshot<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.queries.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);
}

/** Like `inSnapshot`, for statements that take a plain connection. */
export async function onSnapshot<T>({ pool }: Database, read: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    return await read(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/**
 * Runs a part of a transaction that may fail alone: what the part did is undone, and the transaction goes on with what
 * `onFailure` returns. A fault that another try may mend fails the whole transaction, which is then run again.
 */
export async function tryPart<T>(tx: Tx, work: () => Promise<T>, onFailure: (cause: unknown) => T): Promise<T> {
  await sql`savepoint part`.execute(tx);
  const effects = effectsOf.get(tx);
  const before = effects?.length;
  try {
    return await work();
  } catch (cause) {
    if (isTransient(cause)) throw cause;
    await sql`rollback to savepoint part`.execute(tx);
    if (effects && before !== undefined) effects.length = before;
    return onFailure(cause);
  }
}
