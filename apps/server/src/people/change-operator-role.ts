import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { NO_ROLE } from './gather-notices.ts';
import { mailPerson } from './mail-person.ts';
import type { OperatorRole } from './person.ts';
import { lockPerson, readPerson } from './person-sql.ts';
import { requirePerson } from './require-person.ts';
import { endSessionsOf, saveOperatorRole } from './shut-out-sql.ts';

type OperatorRoleInput = { person: string; role: OperatorRole | null; reason: string };

/** Changes what a person may do as staff. Their sessions and open support sessions end. */
export async function changeOperatorRole(
  context: MailContext,
  actor: Operator,
  { person: named, role, reason }: OperatorRoleInput,
): Promise<{ person: string; before: OperatorRole | null; sessions: number }> {
  const { database, clock } = context;
  return inTransaction(database, async (tx) => {
    const { id, code: person } = await requirePerson(tx, named);
    await lockPerson(tx, id);
    const { operatorRole: before } = await readPerson(tx, id);
    if (before === role) return { person, before, sessions: 0 };
    await saveOperatorRole(tx, id, role);
    const at = new Date(clock.nowMs());
    const sessions = await endSessionsOf(tx, { personId: id }, at);
    const data = { role: role ?? NO_ROLE, at: String(at.getTime()) };
    await mailPerson(tx, context, { personId: id, template: 'staff-role-changed', data });
    await recordAudit(tx, clock, actor, {
      action: 'person.role',
      subject: `person:${person}`,
      details: { reason, before, after: role, sessions },
    });
    return { person, before, sessions };
  });
}
