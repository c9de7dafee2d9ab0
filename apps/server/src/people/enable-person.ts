import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { requirePerson } from './require-person.ts';
import { savePersonEnabled } from './shut-out-sql.ts';

type EnabledPerson = {
  person: string;
  /** False when the person was not disabled. */
  isNew: boolean;
};

/** Lets a disabled person sign in again, with the password and two-factor methods that they had. */
export async function enablePerson(
  { database, clock }: Context,
  actor: Operator,
  { person: named, reason }: { person: string; reason: string },
): Promise<EnabledPerson> {
  return inTransaction(database, async (tx) => {
    const { id, code: person } = await requirePerson(tx, named);
    const isNew = await savePersonEnabled(tx, id);
    if (isNew)
      await recordAudit(tx, clock, actor, {
        action: 'person.enable',
        subject: `person:${person}`,
        details: { reason },
      });
    return { person, isNew };
  });
}
