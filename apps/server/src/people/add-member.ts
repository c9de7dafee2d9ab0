import type { Role } from '@counterfoil/core/permission.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { insertMembership } from './membership-sql.ts';
import { findPersonByCode } from './person-sql.ts';
import { tellTeamChange } from './tell-team-change.ts';

type AddMemberInput = { merchantAccountId: bigint; personCode: string; role: Role };

export async function addMember(
  context: MailContext,
  actor: Operator,
  { merchantAccountId, personCode, role }: AddMemberInput,
): Promise<void> {
  const { database, clock } = context;
  await inTransaction(database, async (tx) => {
    const person = await findPersonByCode(tx, personCode);
    if (!person) throw new Refusal('PERSON_UNKNOWN', { person: personCode });
    const at = new Date(clock.nowMs());
    const isNew = await insertMembership(tx, { merchantAccountId, personId: person.id, role }, at);
    if (!isNew) throw new Refusal('MEMBER_EXISTS', { person: personCode });
    const member = { id: person.id, code: personCode };
    await tellTeamChange(tx, context, { merchantAccountId, member, role, by: undefined, at });
    await recordAudit(tx, clock, actor, {
      action: 'member.add',
      subject: `merchant:${merchantAccountId}`,
      details: { after: { person: personCode, role } },
    });
  });
}
