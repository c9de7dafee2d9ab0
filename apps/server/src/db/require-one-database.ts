import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { Refusal } from '../lib/refusal.ts';

/**
 * Check of two connections that must lead to one database. One takes a lock with a random number, the other one tries
 * to take the same: locks belong to one database of one running server, so only there it is refused. Names and numbers
 * of databases prove nothing, because copies share them. A standby holds locks of its own and counts as another
 * database: what was just written can be missing there.
 */

const LOCK_BYTES = 8;

export async function reachOneDatabase(first: pg.Pool, second: pg.Pool): Promise<boolean> {
  const number = randomBytes(LOCK_BYTES).readBigInt64BE().toString();
  const holder = await first.connect();
  try {
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock($1)', [number]);
    // The lock ends with the statement, which is a transaction of its own.
    const { rows } = await second.query<{ taken: boolean }>('select pg_try_advisory_xact_lock($1) as taken', [number]);
    return rows[0]?.taken === false;
  } finally {
    await holder.query('rollback').then(
      () => holder.release(),
      () => holder.release(true),
    );
  }
}

export async function requireOneDatabase(first: pg.Pool, second: pg.Pool): Promise<void> {
  if (!(await reachOneDatabase(first, second))) throw new Refusal('DATABASES_DIFFER');
}
