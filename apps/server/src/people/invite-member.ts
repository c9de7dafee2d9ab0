import { DAY_MS } from '@counterfoil/core/duration.ts';
import type { Role } from '@counterfoil/core/permission.ts';
import { mayGrant } from '@counterfoil/core/permission.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailAddress } from '../mail/mail-address.ts';
import type { MailContext, QueuedMail } from '../mail/queue-mail.ts';
import { canMail, queueMail } from '../mail/queue-mail.ts';
import { requireInvitation, requireMailTo } from './attempt.ts';
import { countInvitations, endInvitationOf, insertInvitation } from './invitation-sql.ts';
import { lockMembers } from './membership-sql.ts';
import { createInvitationCode, drawLinkToken, hashLinkToken } from './person.ts';
import { readPerson } from './person-sql.ts';
import { requireElevated } from './require-elevated.ts';
import { requireMember } from './require-member.ts';

type InviteInput = { merchantCode: string; mail: MailAddress; role: Role };

type Invited = { code: string; linkToken: string; mailState: QueuedMail['state'] };

const INVITATION_DAYS = 7;
/** Most open invitations of a merchant: each is an email that its recipient has not requested. */
const MAX_OPEN_INVITATIONS = 100;

/**
 * Ends the address's earlier invitation and makes room. It is locked first, as when it is accepted; the rest is decided
 * under the lock of all memberships with the actor's current role.
 */
async function makeRoom(
  tx: Tx,
  actor: Person,
  { merchantAccountId, mail, role }: { merchantAccountId: bigint; mail: MailAddress; role: Role },
  at: Date,
): Promise<void> {
  const replaced = await endInvitationOf(tx, merchantAccountId, mail.normal, at);
  const members = await lockMembers(tx, merchantAccountId);
  const own = members.find(({ personId }) => personId === actor.id)?.role ?? '';
  for (const one of [role, replaced])
    if (one !== undefined && !mayGrant(own, one)) throw new Refusal('ROLE_TOO_HIGH', { role: one });
  if ((await countInvitations(tx, merchantAccountId, at)) >= MAX_OPEN_INVITATIONS)
    throw new Refusal('TOO_MANY_INVITATIONS', { most: MAX_OPEN_INVITATIONS });
}

/**
 * Invites a member by email and returns a link too, because there may be no mail server; either works once, for a week,
 * for this address. An earlier invitation of the address becomes void.
 */
export async function inviteMember(context: MailContext, actor: Person, input: InviteInput): Promise<Invited> {
  const { database, clock } = context;
  const { merchantCode, mail, role } = input;
  const asked = { merchantCode, permission: 'team.change' } as const;
  const { merchantAccountId, role: own, allStores } = await requireMember(context, actor, asked);
  // New members see all stores, so an inviter with fewer stores could gain access by inviting themselves.
  if (!allStores) throw new Refusal('NO_PERMISSION', { permission: 'team.change' });
  requireElevated(actor);
  if (!mayGrant(own, role)) throw new Refusal('ROLE_TOO_HIGH', { role });
  if (await canMail(database.queries, context)) {
    await requireInvitation(database.queries, { person: actor.code, merchantAccountId });
    await requireMailTo(database.queries, mail.normal, 'user');
  }
  const code = createInvitationCode();
  const linkToken = drawLinkToken();
  const tokenHash = hashLinkToken(linkToken);
  if (!tokenHash) throw new Error('A link token has an unknown form.');
  const at = new Date(clock.nowMs());
  const expiresAt = new Date(at.getTime() + INVITATION_DAYS * DAY_MS);
  return inTransaction(database, async (tx) => {
    await makeRoom(tx, actor, { merchantAccountId, mail, role }, at);
    // The email uses the inviter's language: the recipient's is unknown or private.
    const { language } = await readPerson(tx, actor.id);
    const sent = {
      template: 'invitation',
      language,
      to: mail,
      data: { invitation: code },
      merchantAccountId,
    } as const;
    const { mailId, state: mailState } = await queueMail(tx, context, sent);
    const invitation = { code, merchantAccountId, mail, role, tokenHash, invitedBy: actor.id, expiresAt, mailId };
    await insertInvitation(tx, invitation, at);
    await recordAudit(tx, clock, actor, {
      action: 'member.invite',
      subject: `merchant:${merchantAccountId}`,
      details: { after: { mail: mail.shown, role, invitation: code } },
    });
    return { code, linkToken, mailState };
  });
}
