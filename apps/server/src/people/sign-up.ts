import type { Language } from '@counterfoil/core/language.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { clientSurroundings } from '../lib/client-address.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailAddress } from '../mail/mail-address.ts';
import { requireMailAddress } from '../mail/mail-address.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { requireMailTo, requireSignUpFrom } from './attempt.ts';
import { LINK_MS } from './draw-link.ts';
import { findPasswordFault, hashPassword } from './password.ts';
import type { RegistrationContext } from './people-context.ts';
import { findPersonByMail } from './person-sql.ts';
import { requireRegistration } from './registration.ts';
import { requireMail } from './require-mail.ts';
import { returnIfBusy } from './return-if-busy.ts';
import { insertSignUp } from './sign-up-sql.ts';

type SignUpInput = { mail: MailAddress; name: string; language: Language; password: string };

/**
 * Starts a sign-up and emails its link. An address with an account gets the same answer after the same work; its user
 * gets a link for a new password instead.
 */
export async function signUp(context: RegistrationContext, actor: Visitor, input: SignUpInput): Promise<void> {
  const { database, clock, registration } = context;
  const { mail, name, language, password } = input;
  requireRegistration(registration, 'sign-up');
  await requireMail(context);
  const fault = await findPasswordFault(password, mail.normal);
  if (fault) throw new Refusal('PASSWORD_UNFIT', { fault });
  const from = await requireSignUpFrom(database.queries, actor.address);
  const reserved = [...from, ...(await requireMailTo(database.queries, mail.normal, 'visitor'))];
  const by = { stranger: clientSurroundings(actor.address) };
  const passwordHash = await returnIfBusy(database.queries, reserved, () => hashPassword(password, by));
  const person = await findPersonByMail(database.queries, mail.normal);
  await inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const expiresAt = new Date(at.getTime() + LINK_MS.verify);
    // The row is also written for an existing user, so that timing does not reveal the account. No link leads to it.
    const signUpId = await insertSignUp(tx, { mail, name, language, passwordHash }, { at, expiresAt });
    await queueMail(tx, context, {
      template: person ? 'reset-password' : 'verify-address',
      language: person?.language ?? language,
      to: person ? requireMailAddress(person.mail) : mail,
      data: person ? { person: String(person.id) } : { signUp: String(signUpId) },
    });
  });
}
