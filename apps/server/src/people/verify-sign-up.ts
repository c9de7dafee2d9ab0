import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { linkSubject, requireAttempt, requireLink } from './attempt.ts';
import { giveBackAttempts } from './attempt-sql.ts';
import { endPresentSession } from './end-session.ts';
import { useLink } from './link-sql.ts';
import { openSession } from './open-session.ts';
import { isPassword } from './password.ts';
import type { RegistrationContext } from './people-context.ts';
import { createPersonCode, hashLinkToken } from './person.ts';
import { insertPerson, savePassword, verifyPerson } from './person-sql.ts';
import { requireRegistration } from './registration.ts';
import { returnIfBusy } from './return-if-busy.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { findChosenPassword, takeSignUp } from './sign-up-sql.ts';

type VerifyInput = {
  token: string;
  password: string;
  /** The token of the browser's present session, which ends. */
  present?: string | undefined;
};

/**
 * Creates a user from a sign-up. The password chosen in the same sign-up is required: a stranger who signs up with
 * someone's address would otherwise have a password to the account that its owner confirms. Other sign-ups with the
 * address end. Signs the user in: link and password are more than a sign-in asks for.
 */
export async function verifySignUp(
  context: RegistrationContext,
  actor: Visitor,
  { token, password, present }: VerifyInput,
): Promise<string> {
  const { database, clock, registration } = context;
  const { address, agent } = actor;
  requireRegistration(registration, 'sign-up');
  await requireLink(database.queries, address, token);
  const hash = hashLinkToken(token);
  const chosen = hash && (await findChosenPassword(database.queries, hash, new Date(clock.nowMs())));
  if (!hash || chosen === undefined) throw new Refusal('LINK_INVALID');
  const reserved = await requireAttempt(database.queries, linkSubject(hash));
  const by = { known: linkSubject(hash) };
  const isRight = await returnIfBusy(database.queries, reserved, () => isPassword(password, chosen, by));
  if (!isRight) throw new Refusal('SIGN_IN_REFUSED');
  await giveBackAttempts(database.queries, reserved);
  return inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const signUpId = (await useLink(tx, hash, 'verify', at))?.signUpId ?? null;
    const signUp = signUpId === null ? undefined : await takeSignUp(tx, signUpId, at);
    if (!signUp) throw new Refusal('LINK_INVALID');
    const { mailNormal, mailShown, name, language, passwordHash } = signUp;
    const mail = { normal: mailNormal, shown: mailShown };
    const id = await insertPerson(tx, { code: createPersonCode(), mail, name, language, operatorRole: null }, at);
    if (id === undefined) throw new Refusal('LINK_INVALID');
    await savePassword(tx, id, passwordHash, at);
    await verifyPerson(tx, id, at);
    await insertSecurityEvent(tx, { kind: 'signed-up', personId: id, address, agent }, at);
    await endPresentSession(tx, actor, present, at);
    const person = { id, operatorRole: null };
    return openSession(tx, { person, proof: 'password', half: false, elevated: true, origin: actor }, at);
  });
}
