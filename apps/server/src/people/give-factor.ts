import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { factorSubject, requireAttempt, requireOrigin } from './attempt.ts';
import { giveBackAttempt } from './attempt-sql.ts';
import type { TypedFactor } from './check-factor.ts';
import { checkFactor } from './check-factor.ts';
import { openSession } from './open-session.ts';
import type { PeopleContext } from './people-context.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { hashSessionToken, isLasting } from './session.ts';
import { findSession, lockSession, revokeSession } from './session-sql.ts';

type GiveFactorInput = { token: string; factor: TypedFactor };

/**
 * Completes a sign-in with the second factor. The session gets a new token, so that whoever knew the old one has
 * nothing.
 */
export async function giveFactor(
  context: PeopleContext,
  actor: Visitor,
  { token, factor }: GiveFactorInput,
): Promise<string> {
  const { database, clock } = context;
  const { queries } = database;
  const hash = hashSessionToken(token);
  if (!hash) throw new Refusal('SESSION_ENDED');
  const half = await findSession(queries, hash);
  if (!half?.half || !half.admitted || !isLasting(half, new Date(clock.nowMs()))) throw new Refusal('SESSION_ENDED');
  const { personId, operatorRole } = half;
  const { address, agent } = actor;
  await requireOrigin(queries, address);
  await requireAttempt(queries, factorSubject(personId));
  if (!(await checkFactor(context, personId, factor))) {
    await insertSecurityEvent(queries, { kind: 'factor-refused', personId, address, agent }, new Date(clock.nowMs()));
    throw new Refusal('FACTOR_WRONG');
  }
  await giveBackAttempt(queries, factorSubject(personId));
  const proof = 'totp' in factor ? 'totp' : 'recovery';
  return inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    if (!(await lockSession(tx, hash))) throw new Refusal('SESSION_ENDED');
    await revokeSession(tx, hash, at);
    const kind = proof === 'totp' ? 'sign-in' : 'recovery-code-used';
    await insertSecurityEvent(tx, { kind, personId, address, agent }, at);
    const person = { id: personId, operatorRole };
    return openSession(tx, { person, proof, half: false, elevated: true, origin: actor }, at);
  });
}
