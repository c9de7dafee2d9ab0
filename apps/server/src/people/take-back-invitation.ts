import { mayGrant } from '@counterfoil/core/permission.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { endInvitation } from './invitation-sql.ts';
import { requireMember } from './require-member.ts';

type TakeBackInput = { merchantCode: string; invitation: string };

/** Revokes an invitation. It only protects, so no step-up is required. Only owners revoke an owner's invitation. */
export async function takeBackInvitation(
  context: Context,
  actor: Person,
  { merchantCode, invitation }: TakeBackInput,
): Promise<void> {
  const { database, clock } = context;
  const member = await requireMember(context, actor, { merchantCode, permission: 'team.change' });
  await inTransaction(database, async (tx) => {
    const ended = await endInvitation(tx, member.merchantAccountId, invitation, new Date(clock.nowMs()));
    if (!ended) throw new Refusal('INVITATION_UNKNOWN');
    if (!mayGrant(member.role, ended.role)) throw new Refusal('ROLE_TOO_HIGH', { role: ended.role });
    await recordAudit(tx, clock, actor, {
      action: 'member.uninvite',
      subject: `merchant:${member.merchantAccountId}`,
      details: { before: { ...ended, invitation } },
    });
  });
}
