import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { knownDevice, requireDevice, requireOrigin, requirePasskeySignIn } from './attempt.ts';
import { giveBackAttempts } from './attempt-sql.ts';
import type { PasskeyContext } from './check-passkey.ts';
import { checkPasskey } from './check-passkey.ts';
import { endPresentSession } from './end-session.ts';
import { stopResetByFactor } from './factor-reset-sql.ts';
import { resumeRecoveryCodes } from './factor-sql.ts';
import { noteSignIn } from './note-sign-in.ts';
import { openSession } from './open-session.ts';
import type { KnownPasskey } from './passkey-sql.ts';
import { findPasskey } from './passkey-sql.ts';
import { lockPerson } from './person-sql.ts';
import { insertSecurityEvent } from './security-event-sql.ts';

type PasskeySignIn = {
  response: AuthenticationResponseJSON;
  /** The token of the browser's present session, which ends. */
  present?: string | undefined;
};

/** Undefined when the passkey was removed, or its person disabled, during the check. */
async function openIfStillOwn(
  context: PasskeyContext,
  actor: Visitor,
  { id, personId }: KnownPasskey,
  { response: { id: credentialId }, present }: PasskeySignIn,
): Promise<string | undefined> {
  const { database, clock } = context;
  return inTransaction(database, async (tx) => {
    await lockPerson(tx, personId);
    const found = await findPasskey(tx, Buffer.from(credentialId, 'base64url'));
    if (found?.id !== id || !found.admitted) return undefined;
    const at = new Date(clock.nowMs());
    // A used method is not lost.
    await stopResetByFactor(tx, personId, at);
    await resumeRecoveryCodes(tx, personId);
    await endPresentSession(tx, actor, present, at);
    await noteSignIn(tx, context, { personId, kind: 'sign-in', origin: actor }, at);
    const person = { id: personId, operatorRole: found.operatorRole };
    return openSession(tx, { person, proof: 'passkey', half: false, elevated: true, origin: actor }, at);
  });
}

/** Signs a person in by a passkey, which replaces both password and two-factor. */
export async function signInByPasskey(context: PasskeyContext, actor: Visitor, input: PasskeySignIn): Promise<string> {
  const { database, clock } = context;
  const { address, agent } = actor;
  const device = await knownDevice(context, actor, {});
  const reserved = device
    ? await requireDevice(database.queries, device)
    : await requireOrigin(database.queries, address);
  const passkey = await checkPasskey(context, { response: input.response, purpose: 'sign-in', sessionHash: null });
  if (passkey?.admitted) await requirePasskeySignIn(database.queries, passkey.personId);
  const token = passkey?.admitted ? await openIfStillOwn(context, actor, passkey, input) : undefined;
  if (token !== undefined) {
    await giveBackAttempts(database.queries, reserved);
    return token;
  }
  const event = { kind: 'sign-in-refused', personId: passkey?.personId ?? null, address, agent } as const;
  await insertSecurityEvent(database.queries, event, new Date(clock.nowMs()));
  throw new Refusal('SIGN_IN_REFUSED');
}
