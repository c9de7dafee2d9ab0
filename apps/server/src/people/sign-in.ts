import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireAttempt, requireOrigin, signInSubject } from './attempt.ts';
import { giveBackAttempt } from './attempt-sql.ts';
import { openSession } from './open-session.ts';
import { hashPassword, isPassword, needsNewHash, NOBODYS_HASH } from './password.ts';
import type { PeopleContext } from './people-context.ts';
import { findPersonByMail, savePassword } from './person-sql.ts';
import { insertSecurityEvent } from './security-event-sql.ts';

type SignInInput = { mailNormal: string; password: string };

type SignedIn = {
  token: string;
  /** Whether the session is good for nothing until the second factor is given. */
  half: boolean;
};

/**
 * Signs a person in by password. An unknown mail address, a wrong password and a person who may not sign in are refused
 * alike and after the same work, so that nobody learns who has an account here.
 */
export async function signIn(
  { database, clock }: Pick<PeopleContext, 'database' | 'clock'>,
  actor: Visitor,
  { mailNormal, password }: SignInInput,
): Promise<SignedIn> {
  const { queries } = database;
  await requireOrigin(queries, actor.address);
  await requireAttempt(queries, signInSubject(mailNormal));
  const person = await findPersonByMail(queries, mailNormal);
  const stored = person?.passwordHash ?? NOBODYS_HASH;
  const isRight = await isPassword(password, stored);
  const at = new Date(clock.nowMs());
  const { address, agent } = actor;
  if (!person?.admitted || !isRight) {
    const event = { kind: 'sign-in-refused', personId: person?.id ?? null, address, agent } as const;
    await insertSecurityEvent(queries, event, at);
    throw new Refusal('SIGN_IN_REFUSED');
  }
  const renewed = needsNewHash(stored) ? await hashPassword(password) : undefined;
  await giveBackAttempt(queries, signInSubject(mailNormal));
  const half = person.hasFactor;
  const token = await inTransaction(database, async (tx) => {
    if (renewed !== undefined) await savePassword(tx, person.id, renewed, at);
    if (!half) await insertSecurityEvent(tx, { kind: 'sign-in', personId: person.id, address, agent }, at);
    return openSession(tx, { person, proof: 'password', half, elevated: false, origin: actor }, at);
  });
  return { token, half };
}
