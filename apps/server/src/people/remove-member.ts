import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { holdMethods } from '../merchants/merchant-sql.ts';
import { applyMemberChange } from './apply-member-change.ts';
import { requireOwnerLeft } from './change-member.ts';
import { lockMembers } from './membership-sql.ts';
import { requirePerson } from './require-person.ts';

type RemoveMemberInput = { merchantAccountId: bigint; person: string; reason: string };

/** Removes a member on behalf of an operator. The last owner of a merchant cannot be removed. */
export async function removeMember(
  context: MailContext,
  actor: Operator,
  { merchantAccountId, person: named, reason }: RemoveMemberInput,
): Promise<{ person: string }> {
  return inTransaction(context.database, async (tx) => {
    if (!(await holdMethods(tx, merchantAccountId)))
      throw new Refusal('MERCHANT_UNKNOWN', { merchant: String(merchantAccountId) });
    const { code: person } = await requirePerson(tx, named);
    const members = await lockMembers(tx, merchantAccountId);
    const member = members.find((one) => one.person === person);
    if (!member) throw new Refusal('MEMBER_UNKNOWN');
    requireOwnerLeft(members, member, null);
    await applyMemberChange(tx, context, actor, { merchantAccountId, member, role: null, reason });
    return { person };
  });
}
