import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import type { MailAddress } from '../mail/mail-address.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { replaceAddressChange } from './address-change-sql.ts';
import { addressSubject, requireAttempt, requireMailTo } from './attempt.ts';
import { LINK_MS } from './draw-link.ts';
import { lockPerson, readPerson } from './person-sql.ts';
import { requireElevated } from './require-elevated.ts';
import { requireMail } from './require-mail.ts';
import { insertSecurityEvent } from './security-event-sql.ts';

/** Emails a link to the requested address. If another user has it, none is sent and the answer is the same. */
export async function requestAddressChange(context: MailContext, actor: Person, mail: MailAddress): Promise<void> {
  const { database, clock } = context;
  const { id: personId, address, agent } = actor;
  requireElevated(actor);
  await requireMail(context);
  await requireAttempt(database.queries, addressSubject(personId));
  await requireMailTo(database.queries, mail.normal, 'user');
  await inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    await lockPerson(tx, personId);
    const { language } = await readPerson(tx, personId);
    const expiresAt = new Date(at.getTime() + LINK_MS.changeMail);
    const changeId = await replaceAddressChange(tx, { personId, mail, expiresAt }, at);
    await insertSecurityEvent(tx, { kind: 'address-change-asked', personId, address, agent }, at);
    await queueMail(tx, context, {
      template: 'verify-address',
      language,
      to: mail,
      data: { change: String(changeId) },
    });
  });
}
