import type { Role } from '@counterfoil/core/permission.ts';
import { isAllowed, isDemotion, LOOKING, mayGrant } from '@counterfoil/core/permission.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { holdMethods } from '../merchants/merchant-sql.ts';
import { applyMemberChange } from './apply-member-change.ts';
import { requireSetting } from './attempt.ts';
import type { LockedMember } from './membership-sql.ts';
import { lockMembers } from './membership-sql.ts';
import { requireElevated } from './require-elevated.ts';
import { requireMember } from './require-member.ts';

type ChangeMemberInput = {
  merchantCode: string;
  person: string;
  role: Role | null;
};

/** Refuses to leave a merchant without an owner. */
export function requireOwnerLeft(members: readonly LockedMember[], changed: LockedMember, role: Role | null): void {
  const owners = members.filter((member) => member.role === 'owner');
  if (changed.role === 'owner' && role !== 'owner' && owners.length === 1) throw new Refusal('LAST_OWNER');
}

/** Decides with current roles under the lock of all memberships. Leaving requires no permission. */
async function lockForChange(
  tx: Tx,
  merchantAccountId: bigint,
  actor: Person,
  { person, role }: ChangeMemberInput,
): Promise<LockedMember> {
  const members = await lockMembers(tx, merchantAccountId);
  const own = members.find(({ personId }) => personId === actor.id)?.role ?? '';
  const changed = members.find((member) => member.person === person);
  const isLeaving = changed?.personId === actor.id && role === null;
  if (!isLeaving && !isAllowed(own, 'team.change')) throw new Refusal('NO_PERMISSION', { permission: 'team.change' });
  if (!changed) throw new Refusal('MEMBER_UNKNOWN');
  for (const one of [changed.role, role])
    if (!isLeaving && one !== null && !mayGrant(own, one)) throw new Refusal('ROLE_TOO_HIGH', { role: one });
  requireOwnerLeft(members, changed, role);
  return changed;
}

/** Changes or removes the role of a member. A merchant never loses its last owner. */
export async function changeMember(context: MailContext, actor: Person, input: ChangeMemberInput): Promise<void> {
  const { database } = context;
  const { merchantCode } = input;
  // Every member may see invoices, so this finds the merchant and refuses strangers as if it did not exist.
  const asked = { merchantCode, permission: 'invoice.see' } as const;
  const { merchantAccountId, role: own } = await requireMember(context, actor, asked);
  if (own === LOOKING) throw new Refusal('READ_ONLY_VIEW');
  requireElevated(actor);
  await inTransaction(database, async (tx) => {
    await holdMethods(tx, merchantAccountId);
    const member = await lockForChange(tx, merchantAccountId, actor, input);
    // Demotions are never refused; repeating one requires a promotion, which is limited.
    if (!isDemotion(member.role, input.role)) await requireSetting(tx, actor);
    await applyMemberChange(tx, context, actor, { merchantAccountId, member, role: input.role });
  });
}
