import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { requireRepeatable } from './attempt.ts';
import { lockMembers } from './membership-sql.ts';
import { openFactorReset } from './open-factor-reset.ts';
import { readPerson } from './person-sql.ts';
import { requireElevated } from './require-elevated.ts';
import { requireMember } from './require-member.ts';

type AskResetInput = {
  merchantCode: string;
  person: string;
  reason: string;
};

/**
 * Requests, as an owner, a reset of another member's two-factor methods. It waits, so that the member and all owners
 * can stop it. Operators are reset on the command line only.
 */
export async function askFactorReset(context: MailContext, actor: Person, input: AskResetInput): Promise<Date> {
  const { database, clock } = context;
  const { merchantCode, person: code, reason } = input;
  const { merchantAccountId } = await requireMember(context, actor, { merchantCode, permission: 'team.change' });
  requireElevated(actor);
  await requireRepeatable(database.queries, 'reset-factors', { person: actor.code, merchantAccountId });
  return inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const members = await lockMembers(tx, merchantAccountId);
    const own = members.find(({ personId }) => personId === actor.id);
    if (own?.role !== 'owner') throw new Refusal('ROLE_TOO_HIGH', { role: 'owner' });
    const member = members.find((one) => one.person === code);
    if (!member) throw new Refusal('MEMBER_UNKNOWN');
    if (member.personId === actor.id) throw new Refusal('FACTORS_ARE_OWN');
    const person = await readPerson(tx, member.personId);
    if (person.operatorRole !== null) throw new Refusal('ROLE_TOO_HIGH', { role: person.operatorRole });
    const effective = await openFactorReset(tx, context, { person, requestedBy: actor.id, reason }, at);
    await recordAudit(tx, clock, actor, {
      action: 'person.reset_factors',
      subject: `merchant:${merchantAccountId}`,
      details: { person: code, reason, effectiveAt: effective.toISOString() },
    });
    return effective;
  });
}
