import type { Tx } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { lockPerson } from './person-sql.ts';
import { lockSession } from './session-sql.ts';

/**
 * Locks a person who changes their own password or factors, and the session by which they do; refuses a session that
 * was ended after the request had come in. Otherwise whoever is being thrown out could still leave a factor behind.
 */
export async function lockActor(tx: Tx, { id, sessionHash }: Person): Promise<void> {
  await lockPerson(tx, id);
  if (!(await lockSession(tx, sessionHash))) throw new Refusal('SESSION_ENDED');
}
