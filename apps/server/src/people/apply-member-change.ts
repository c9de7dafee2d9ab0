import type { Role } from '@counterfoil/core/permission.ts';
import { isDemotion } from '@counterfoil/core/permission.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/transaction.ts';
import type { Operator, Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { takeTeamNotice } from './attempt.ts';
import { cancelRequests, recordCancelledRequests } from './cancel-requests.ts';
import { mailPerson } from './mail-person.ts';
import type { LockedMember } from './membership-sql.ts';
import { deleteMembership, saveFormerOwner, saveRole } from './membership-sql.ts';
import { findRequestEndOfOthers } from './requested-change-sql.ts';
import { tellTeamChange } from './tell-team-change.ts';

type MemberChange = {
  merchantAccountId: bigint;
  member: LockedMember;
  role: Role | null;
  reason?: string;
};

/** Keeps owners who could stop someone else's pending payment-method change. */
async function requireNotNeeded(tx: Tx, { merchantAccountId, member }: MemberChange): Promise<void> {
  const until = await findRequestEndOfOthers(tx, merchantAccountId, member.person);
  if (until) throw new Refusal('OWNER_NEEDED', { until: until.toISOString() });
}

async function notifyMember(
  tx: Tx,
  context: MailContext,
  actor: Operator | Person,
  { merchantAccountId, member, role, merges }: MemberChange & { merges: boolean },
): Promise<void> {
  const { personId } = member;
  const merchant = String(merchantAccountId);
  if (role !== null && role !== member.role && actor.kind === 'person') {
    const data = { merchant, by: String(actor.id) };
    await mailPerson(tx, context, { personId, template: 'role-changed', data, merges });
  }
  if (role === null && (actor.kind === 'operator' || personId !== actor.id)) {
    const by = actor.kind === 'person' ? actor.code : 'operator';
    const data = { merchant, by, at: String(context.clock.nowMs()) };
    await mailPerson(tx, context, { personId, template: 'membership-ended', data });
  }
}

/**
 * Changes or ends a membership, and with a lost role the member's pending payment-method changes. The caller's
 * transaction holds the merchant's payment methods and memberships.
 */
export async function applyMemberChange(
  tx: Tx,
  context: MailContext,
  actor: Operator | Person,
  change: MemberChange,
): Promise<void> {
  const { clock } = context;
  const { merchantAccountId, member, role, reason } = change;
  const { personId, person, role: before } = member;
  const isLess = isDemotion(before, role);
  if (before === 'owner' && isLess) {
    await requireNotNeeded(tx, change);
    await saveFormerOwner(tx, { merchantAccountId, personId }, new Date(clock.nowMs()));
  }
  const merges =
    role !== before &&
    actor.kind === 'person' &&
    !(await takeTeamNotice(tx, { person: actor.code, merchantAccountId }));
  if (role !== before) {
    // The emails are queued before a membership ends: row security hides the owners from a former member.
    const by = actor.kind === 'person' ? actor.code : undefined;
    const told = { merchantAccountId, member: { id: personId, code: person }, role, by };
    await tellTeamChange(tx, context, { ...told, at: new Date(clock.nowMs()), merges });
  }
  const requester = { personCode: person, merchantAccountId };
  const cancelled = isLess ? await cancelRequests(tx, context, actor, requester) : [];
  await notifyMember(tx, context, actor, { ...change, merges });
  if (role === null) await deleteMembership(tx, merchantAccountId, personId);
  else await saveRole(tx, merchantAccountId, personId, role);
  const because = role === null ? 'requester-removed' : 'requester-demoted';
  await recordCancelledRequests(tx, clock, actor, { cancelled, because });
  await recordAudit(tx, clock, actor, {
    action: role === null ? 'member.remove' : 'member.change',
    subject: `merchant:${merchantAccountId}`,
    details: { person, before, after: role, ...(reason !== undefined && { reason }) },
  });
}
