import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { canMail } from '../mail/queue-mail.ts';
import { requireLink } from './attempt.ts';
import type { OpenInvitation } from './invitation-sql.ts';
import { findInvitation, noteInvitationOpened } from './invitation-sql.ts';
import { hashLinkToken } from './person.ts';
import { findPersonByMail } from './person-sql.ts';

type Opened = Pick<OpenInvitation, 'merchantName' | 'mailShown' | 'role'> & {
  /** Whether the invited person has an account; null for a reader without the emailed link. */
  isKnown: boolean | null;
};

/** Shows an invitation and records that it was opened. */
export async function openInvitation(context: MailContext, actor: Visitor, token: string): Promise<Opened> {
  const { clock } = context;
  const { queries } = context.database;
  await requireLink(queries, actor.address, token);
  const hash = hashLinkToken(token);
  const now = new Date(clock.nowMs());
  const invitation = hash && (await findInvitation(queries, hash, now));
  if (!invitation) throw new Refusal('INVITATION_UNKNOWN');
  await noteInvitationOpened(queries, invitation.id, now);
  const { merchantName, mailShown, role, mailNormal, isMailed } = invitation;
  const isTold = isMailed || !(await canMail(queries, context));
  const isKnown = isTold ? (await findPersonByMail(queries, mailNormal)) !== undefined : null;
  return { merchantName, mailShown, role, isKnown };
}
