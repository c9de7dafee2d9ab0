import type { Context } from '../db/context.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireOrigin } from './attempt.ts';
import type { OpenInvitation } from './invitation-sql.ts';
import { findInvitation, noteInvitationOpened } from './invitation-sql.ts';
import { hashLinkToken } from './person.ts';
import { findPersonByMail } from './person-sql.ts';

type Opened = Pick<OpenInvitation, 'merchantName' | 'mailShown' | 'role'> & {
  /** Whether the invited person can sign in already; otherwise they choose a name and a password. */
  isKnown: boolean;
};

/** Shows an invitation to whoever has its link, and notes that it was opened. */
export async function openInvitation({ database, clock }: Context, actor: Visitor, token: string): Promise<Opened> {
  const { queries } = database;
  await requireOrigin(queries, actor.address);
  const hash = hashLinkToken(token);
  const now = new Date(clock.nowMs());
  const invitation = hash && (await findInvitation(queries, hash, now));
  if (!invitation) throw new Refusal('INVITATION_UNKNOWN');
  await noteInvitationOpened(queries, invitation.id, now);
  const { merchantName, mailShown, role, mailNormal } = invitation;
  return { merchantName, mailShown, role, isKnown: (await findPersonByMail(queries, mailNormal)) !== undefined };
}
