import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireOrigin } from './attempt.ts';
import type { PasskeyContext } from './check-passkey.ts';
import { checkPasskey } from './check-passkey.ts';
import { openSession } from './open-session.ts';
import { insertSecurityEvent } from './security-event-sql.ts';

/** Signs a person in by a passkey, which stands for the password and the second factor at once. */
export async function signInByPasskey(
  context: PasskeyContext,
  actor: Visitor,
  response: AuthenticationResponseJSON,
): Promise<string> {
  const { database, clock } = context;
  const { address, agent } = actor;
  await requireOrigin(database.queries, address);
  const passkey = await checkPasskey(context, { response, purpose: 'sign-in', sessionHash: null });
  const at = new Date(clock.nowMs());
  if (!passkey?.admitted) {
    const event = { kind: 'sign-in-refused', personId: passkey?.personId ?? null, address, agent } as const;
    await insertSecurityEvent(database.queries, event, at);
    throw new Refusal('SIGN_IN_REFUSED');
  }
  const { personId, operatorRole } = passkey;
  return inTransaction(database, async (tx) => {
    await insertSecurityEvent(tx, { kind: 'sign-in', personId, address, agent }, at);
    const person = { id: personId, operatorRole };
    return openSession(tx, { person, proof: 'passkey', half: false, elevated: true, origin: actor }, at);
  });
}
