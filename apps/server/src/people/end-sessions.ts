import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { lockPerson } from './person-sql.ts';
import { requirePerson } from './require-person.ts';
import { endSessionsOf } from './shut-out-sql.ts';

type EndSessionsInput = {
  person: string;
  session: string | undefined;
  reason: string;
};

export async function endSessions(
  { database, clock }: Context,
  actor: Operator,
  { person: named, session, reason }: EndSessionsInput,
): Promise<{ person: string; ended: number }> {
  return inTransaction(database, async (tx) => {
    const { id: personId, code: person } = await requirePerson(tx, named);
    // A sign-in in progress takes this lock first, so that its session cannot outlive this.
    await lockPerson(tx, personId);
    const ended = await endSessionsOf(tx, { personId, session }, new Date(clock.nowMs()));
    if (ended === 0 && session !== undefined) throw new Refusal('SESSION_UNKNOWN');
    if (ended > 0)
      await recordAudit(tx, clock, actor, {
        action: 'session.end',
        subject: `person:${person}`,
        details: { reason, ended, ...(session !== undefined && { session }) },
      });
    return { person, ended };
  });
}
