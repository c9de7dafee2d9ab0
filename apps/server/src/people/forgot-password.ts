import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import type { MailAddress } from '../mail/mail-address.ts';
import { requireMailAddress } from '../mail/mail-address.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { requireMailFrom, requireMailTo } from './attempt.ts';
import { findPersonByMail } from './person-sql.ts';
import { requireMail } from './require-mail.ts';
import { insertSecurityEvent } from './security-event-sql.ts';

/** The id of a person who does not exist: a worker drops emails to them. */
const NOBODY = 0n;

/**
 * Emails a link for a new password. An address without a user gets the same rows, and the email is dropped later, so
 * that neither the answer nor its time reveals an account.
 */
export async function forgotPassword(context: MailContext, actor: Visitor, mail: MailAddress): Promise<void> {
  const { database, clock } = context;
  const { address, agent } = actor;
  await requireMail(context);
  await requireMailFrom(database.queries, address);
  await requireMailTo(database.queries, mail.normal, 'visitor');
  const person = await findPersonByMail(database.queries, mail.normal);
  await inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    await insertSecurityEvent(tx, { kind: 'reset-asked', personId: person?.id ?? null, address, agent }, at);
    await queueMail(tx, context, {
      template: 'reset-password',
      language: person?.language ?? 'en',
      to: person ? requireMailAddress(person.mail) : mail,
      data: { person: String(person?.id ?? NOBODY) },
    });
  });
}
