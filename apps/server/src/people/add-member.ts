import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { mailOwners } from './mail-owners.ts';
import { insertMembership } from './membership-sql.ts';
import type { Role } from './permission.ts';
import { findPersonByCode } from './person-sql.ts';

type AddMemberInput = { merchantAccountId: bigint; personCode: string; role: Role };

/** Makes a person a member of a merchant, as an operator does for the first owner. Owners of before are told. */
export async function addMember(
  context: MailContext,
  actor: Operator,
  { merchantAccountId, personCode, role }: AddMemberInput,
): Promise<void> {
  const { database, clock } = context;
  await inTransaction(database, async (tx) => {
    const person = await findPersonByCode(tx, personCode);
    if (!person) throw new Refusal('PERSON_UNKNOWN', { person: personCode });
    const nowMs = clock.nowMs();
    const isNew = await insertMembership(tx, { merchantAccountId, personId: person.id, role }, new Date(nowMs));
    if (!isNew) throw new Refusal('MEMBER_EXISTS', { person: personCode });
    const data = { member: personCode, role, by: 'operator', at: String(nowMs) };
    await mailOwners(tx, context, { merchantAccountId, template: 'team-changed', data, except: person.id });
    await recordAudit(tx, clock, actor, {
      action: 'member.add',
      subject: `merchant:${merchantAccountId}`,
      details: { after: { person: personCode, role } },
    });
  });
}
