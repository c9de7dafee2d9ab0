import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireFactor, requireSteppedUp } from './attempt.ts';
import { giveBackAttempts } from './attempt-sql.ts';
import type { PasskeyContext } from './check-passkey.ts';
import { checkPasskey } from './check-passkey.ts';
import { stopResetByFactor } from './factor-reset-sql.ts';
import { openSession } from './open-session.ts';
import { lockPerson, readPerson } from './person-sql.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { lockSession, revokeSession } from './session-sql.ts';

/** Allows dangerous actions in a session for a few minutes, after the use of an own passkey. */
export async function stepUpByPasskey(
  context: PasskeyContext,
  actor: Person,
  response: AuthenticationResponseJSON,
): Promise<string> {
  const { database, clock } = context;
  const { id: personId, sessionHash, address, agent } = actor;
  const reserved = await requireFactor(context, actor, { personId, signsIn: false });
  const passkey = await checkPasskey(context, { response, purpose: 'step-up', sessionHash });
  if (passkey?.personId !== personId) throw new Refusal('FACTOR_WRONG');
  await requireSteppedUp(database.queries, personId);
  await giveBackAttempts(database.queries, reserved);
  const person = await readPerson(database.queries, personId);
  return inTransaction(database, async (tx) => {
    await lockPerson(tx, personId);
    const at = new Date(clock.nowMs());
    // A used method is not lost. This comes before the session's lock, as when a reset is applied.
    await stopResetByFactor(tx, personId, at);
    const session = await lockSession(tx, sessionHash);
    if (!session) throw new Refusal('SESSION_ENDED');
    await revokeSession(tx, sessionHash, at);
    await insertSecurityEvent(tx, { kind: 'step-up', personId, address, agent }, at);
    const { absoluteUntil } = session;
    return openSession(tx, { person, proof: 'passkey', half: false, elevated: true, origin: actor, absoluteUntil }, at);
  });
}
