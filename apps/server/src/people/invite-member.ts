import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { endInvitationOf, insertInvitation } from './invitation-sql.ts';
import type { Role } from './permission.ts';
import { mayGrant } from './permission.ts';
import { createInvitationCode, drawLinkToken, hashLinkToken } from './person.ts';
import { requireElevated } from './require-elevated.ts';
import { requireMember } from './require-member.ts';

type InviteInput = { merchantCode: string; mail: { normal: string; shown: string }; role: Role };

type Invited = { code: string; linkToken: string };

const DAY_MS = 86_400_000;
const INVITATION_DAYS = 7;

/**
 * Invites somebody to become a member of a merchant. The link is returned, because a server may have no mail; it works
 * once, for a week, and for this mail address. An earlier invitation of the same address does nothing from then on.
 */
export async function inviteMember(context: Context, actor: Person, input: InviteInput): Promise<Invited> {
  const { database, clock } = context;
  const { merchantCode, mail, role } = input;
  const { merchantAccountId, role: own } = await requireMember(context, actor, {
    merchantCode,
    permission: 'team.change',
  });
  requireElevated(actor);
  if (!mayGrant(own, role)) throw new Refusal('ROLE_TOO_HIGH', { role });
  const code = createInvitationCode();
  const linkToken = drawLinkToken();
  const tokenHash = hashLinkToken(linkToken);
  if (!tokenHash) throw new Error('A link token has an unknown form.');
  const at = new Date(clock.nowMs());
  const expiresAt = new Date(at.getTime() + INVITATION_DAYS * DAY_MS);
  await inTransaction(database, async (tx) => {
    await endInvitationOf(tx, merchantAccountId, mail.normal, at);
    const invitation = { code, merchantAccountId, mail, role, tokenHash, invitedBy: actor.id, expiresAt };
    await insertInvitation(tx, invitation, at);
    await recordAudit(tx, clock, actor, {
      action: 'member.invite',
      subject: `merchant:${merchantAccountId}`,
      details: { after: { mail: mail.shown, role, invitation: code } },
    });
  });
  return { code, linkToken };
}
