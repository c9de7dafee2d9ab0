import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { insertMembership } from './membership-sql.ts';
import type { Role } from './permission.ts';
import { findPersonByCode } from './person-sql.ts';

type AddMemberInput = { merchantAccountId: bigint; personCode: string; role: Role };

/** Makes a person a member of a merchant, as an operator does for the first owner. */
export async function addMember(
  { database, clock }: Context,
  actor: Operator,
  { merchantAccountId, personCode, role }: AddMemberInput,
): Promise<void> {
  await inTransaction(database, async (tx) => {
    const person = await findPersonByCode(tx, personCode);
    if (!person) throw new Refusal('PERSON_UNKNOWN', { person: personCode });
    const isNew = await insertMembership(tx, { merchantAccountId, personId: person.id, role }, new Date(clock.nowMs()));
    if (!isNew) throw new Refusal('MEMBER_EXISTS', { person: personCode });
    await recordAudit(tx, clock, actor, {
      action: 'member.add',
      subject: `merchant:${merchantAccountId}`,
      details: { after: { person: personCode, role } },
    });
  });
}
