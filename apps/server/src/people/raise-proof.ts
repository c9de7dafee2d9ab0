import type { Tx } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { openSession } from './open-session.ts';
import type { Proof } from './session.ts';
import type { KnownSession } from './session-sql.ts';
import { revokeSession } from './session-sql.ts';

/**
 * Records that the user of a session has just used a new two-factor method. A copied token must not gain by that, so the
 * session gets a new one, with the same end and the same step-up. The caller holds the session.
 */
export async function raiseProof(
  tx: Tx,
  actor: Person,
  { session, proof }: { session: KnownSession; proof: Exclude<Proof, 'password'> },
  at: Date,
): Promise<string> {
  const { absoluteUntil, elevatedUntil, operatorRole } = session;
  await revokeSession(tx, actor.sessionHash, at);
  const person = { id: actor.id, operatorRole };
  return openSession(
    tx,
    { person, proof, half: false, elevated: false, origin: actor, absoluteUntil, elevatedUntil },
    at,
  );
}
