import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { mailPerson } from './mail-person.ts';
import { requirePerson } from './require-person.ts';
import { savePersonEnabled } from './shut-out-sql.ts';

type EnabledPerson = {
  person: string;
  isNew: boolean;
};

/** Enables a disabled person, with their earlier password and two-factor methods. */
export async function enablePerson(
  context: MailContext,
  actor: Operator,
  { person: named, reason }: { person: string; reason: string },
): Promise<EnabledPerson> {
  const { database, clock } = context;
  return inTransaction(database, async (tx) => {
    const { id: personId, code: person } = await requirePerson(tx, named);
    const isNew = await savePersonEnabled(tx, personId);
    if (isNew) {
      const data = { at: String(clock.nowMs()) };
      await mailPerson(tx, context, { personId, template: 'account-enabled', data });
      await recordAudit(tx, clock, actor, {
        action: 'person.enable',
        subject: `person:${person}`,
        details: { reason },
      });
    }
    return { person, isNew };
  });
}
