import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import type { OperatorRole } from './person.ts';
import { lockPerson, readPerson } from './person-sql.ts';
import { requirePerson } from './require-person.ts';
import { endSessionsOf, saveOperatorRole } from './shut-out-sql.ts';

type OperatorRoleInput = { person: string; role: OperatorRole | null; reason: string };

/**
 * Changes what a person may do as staff of the service. Their sessions end, and with them open support sessions: a new
 * role begins with a new sign-in.
 */
export async function changeOperatorRole(
  { database, clock }: Context,
  actor: Operator,
  { person: named, role, reason }: OperatorRoleInput,
): Promise<{ person: string; before: OperatorRole | null; sessions: number }> {
  return inTransaction(database, async (tx) => {
    const { id, code: person } = await requirePerson(tx, named);
    await lockPerson(tx, id);
    const { operatorRole: before } = await readPerson(tx, id);
    if (before === role) return { person, before, sessions: 0 };
    await saveOperatorRole(tx, id, role);
    const sessions = await endSessionsOf(tx, { personId: id }, new Date(clock.nowMs()));
    await recordAudit(tx, clock, actor, {
      action: 'person.role',
      subject: `person:${person}`,
      details: { reason, before, after: role, sessions },
    });
    return { person, before, sessions };
  });
}
