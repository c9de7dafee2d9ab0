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

/** The id of a person who does not exist: a worker drops mails to them. */
const NOBODY = 0n;

/**
 * Mails a link for a new password to a person who has forgotten theirs. For an address that nobody has, the same rows
 * are written, and the mail is dropped when its turn comes: the answer and the time that it takes tell nothing.
 */
export async function forgotPassword(context: MailContext, actor: Visitor, mail: MailAddress): Promise<void> {
  const { database, clock } = context;
  const { address, agent } = actor;
  await requireMail(context);
  await requireMailFrom(database.queries, address);
  await requireMailTo(database.queries, mail.normal);
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
