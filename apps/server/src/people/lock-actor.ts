import type { Tx } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { lockPerson } from './person-sql.ts';
import type { KnownSession } from './session-sql.ts';
import { lockSession } from './session-sql.ts';

/**
 * Locks the person and the session of a change to their own password or methods; refuses a session that has ended since
 * the request arrived, or a thief could still add a method.
 */
export async function lockActor(tx: Tx, { id, sessionHash }: Person): Promise<KnownSession> {
  await lockPerson(tx, id);
  const session = await lockSession(tx, sessionHash);
  if (!session) throw new Refusal('SESSION_ENDED');
  return session;
}
