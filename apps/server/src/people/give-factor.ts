import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireFactor } from './attempt.ts';
import { giveBackAttempts } from './attempt-sql.ts';
import type { TypedFactor } from './check-factor.ts';
import { checkFactor } from './check-factor.ts';
import type { PasskeyContext } from './check-passkey.ts';
import { checkPasskey } from './check-passkey.ts';
import { stopResetByFactor } from './factor-reset-sql.ts';
import { noteSignIn } from './note-sign-in.ts';
import { openSession } from './open-session.ts';
import { lockPerson } from './person-sql.ts';
import { requireHalfSession } from './require-half-session.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { lockSession, revokeSession } from './session-sql.ts';

/** A typed code, or a passkey's answer to a challenge of this sign-in. */
type GivenFactor = TypedFactor | { passkey: AuthenticationResponseJSON };

type GiveFactorInput = { token: string; factor: GivenFactor };

async function isRight(
  context: PasskeyContext,
  { personId, sessionHash }: { personId: bigint; sessionHash: Buffer },
  factor: GivenFactor,
): Promise<boolean> {
  if (!('passkey' in factor)) return checkFactor(context, personId, factor);
  const passkey = await checkPasskey(context, { response: factor.passkey, purpose: 'factor', sessionHash });
  return passkey?.personId === personId;
}

function proofOf(factor: GivenFactor): 'totp' | 'recovery' | 'passkey' {
  if ('passkey' in factor) return 'passkey';
  return 'totp' in factor ? 'totp' : 'recovery';
}

/** Completes a sign-in with two-factor. The session gets a new token, so that the old one is worthless. */
export async function giveFactor(
  context: PasskeyContext,
  actor: Visitor,
  { token, factor }: GiveFactorInput,
): Promise<string> {
  const { database, clock } = context;
  const { queries } = database;
  const { hash, personId, operatorRole } = await requireHalfSession(context, token);
  const { address, agent } = actor;
  const reserved = await requireFactor(context, actor, { personId, signsIn: true });
  if (!(await isRight(context, { personId, sessionHash: hash }, factor))) {
    await insertSecurityEvent(queries, { kind: 'factor-refused', personId, address, agent }, new Date(clock.nowMs()));
    throw new Refusal('FACTOR_WRONG');
  }
  await giveBackAttempts(queries, reserved);
  return inTransaction(database, async (tx) => {
    await lockPerson(tx, personId);
    const at = new Date(clock.nowMs());
    // A used method is not lost. This comes before the session's lock, as when a reset is applied.
    await stopResetByFactor(tx, personId, at);
    if (!(await lockSession(tx, hash))) throw new Refusal('SESSION_ENDED');
    await revokeSession(tx, hash, at);
    const proof = proofOf(factor);
    const kind = proof === 'recovery' ? 'recovery-code-used' : 'sign-in';
    await noteSignIn(tx, context, { personId, kind, origin: actor }, at);
    const person = { id: personId, operatorRole };
    return openSession(tx, { person, proof, half: false, elevated: true, origin: actor }, at);
  });
}
