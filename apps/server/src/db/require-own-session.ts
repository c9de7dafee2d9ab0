import pg from 'pg';
import { Refusal } from '../lib/refusal.ts';
import { isDatabaseError } from './database.ts';

/**
 * Session check: every connection is one session of the database. A pooler in transaction mode gives each transaction
 * another session. Then prepared statements, locks and, worst of all, the scope that row security reads belong to
 * whoever comes next: one person would see another person's rows.
 */

type SessionFacts = {
  /** Whether something stands between this process and the database. */
  pooled: boolean;
  /** Whether connections share sessions of the database. */
  shared: boolean;
};

/** How often a pooler is tried: while others use it, one try may by chance meet the same session twice. */
const TRIES = 20;
/** Up to so many further transactions come between two looks: a pooler that takes sessions in turns has come round at one number only. */
const MOST_BETWEEN = 5;
/** SQLSTATE with which poolers refuse what their mode does not allow, such as transactions in statement mode. */
const PROTOCOL_VIOLATION = '08P01';

async function sessionOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

/** Whether transactions of the second connection take the session of the first, or have it moved. */
async function meets(first: pg.ClientBase, second: pg.ClientBase, between: number): Promise<boolean> {
  const before = await sessionOf(first);
  await second.query('begin');
  const other = await sessionOf(second);
  const met = other === before || (await sessionOf(first)) !== before;
  await second.query('rollback');
  for (let further = 0; further < between; further += 1) if ((await sessionOf(second)) === before) return true;
  return met || (await sessionOf(first)) !== before;
}

async function tryTwo(first: pg.ClientBase, second: pg.ClientBase): Promise<SessionFacts> {
  // The database names a session at its start; a pooler gives a number of its own instead.
  const pooled = Reflect.get(first, 'processID') !== (await sessionOf(first));
  let shared = false;
  for (let tries = pooled ? TRIES : 1; tries > 0 && !shared; tries -= 1)
    shared = await meets(first, second, tries % MOST_BETWEEN);
  return { pooled, shared };
}

/** Tries whether two connections are two sessions. The second one is no connection of the pool, which may have one only. */
export async function readSessionFacts(pool: pg.Pool): Promise<SessionFacts> {
  const second = new pg.Client(pool.options);
  // A lost connection also fails the statement under way, which reports the error.
  second.on('error', () => {});
  const first = await pool.connect();
  try {
    await second.connect();
    return await tryTwo(first, second);
  } catch (cause) {
    if (isDatabaseError(cause, PROTOCOL_VIOLATION)) return { pooled: true, shared: true };
    throw cause;
  } finally {
    first.release();
    await second.end();
  }
}

export async function requireOwnSession(pool: pg.Pool): Promise<void> {
  const { shared } = await readSessionFacts(pool);
  if (shared) throw new Refusal('DATABASE_SESSIONS_SHARED', {});
}
