import type { Language } from '@counterfoil/core/language.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person, Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext, Outbox } from '../mail/queue-mail.ts';
import { canMail } from '../mail/queue-mail.ts';
import { linkSubject, requireAttempt, requireLink, takeTeamNotice } from './attempt.ts';
import { endPresentSession } from './end-session.ts';
import type { OpenInvitation } from './invitation-sql.ts';
import { acceptOpenInvitation, findInvitation, lockInvitation } from './invitation-sql.ts';
import { insertMembership } from './membership-sql.ts';
import { noteSignIn } from './note-sign-in.ts';
import { openSession } from './open-session.ts';
import { findPasswordFault, hashPassword } from './password.ts';
import type { RegistrationContext } from './people-context.ts';
import { createPersonCode, hashLinkToken } from './person.ts';
import { insertPerson, readPerson, savePassword, verifyPerson } from './person-sql.ts';
import { requireRegistration } from './registration.ts';
import { returnIfBusy } from './return-if-busy.ts';
import { tellTeamChange } from './tell-team-change.ts';

type NewMember = {
  name: string;
  language: Language;
  password: string;
  /** The token of the browser's present session, which ends. */
  present?: string | undefined;
};

async function join(
  tx: Tx,
  outbox: Outbox,
  invitation: OpenInvitation,
  member: { id: bigint; code: string },
  at: Date,
): Promise<void> {
  const { id, merchantAccountId, role, inviter: by } = invitation;
  await acceptOpenInvitation(tx, id, member.id, at);
  // An existing member keeps their role: an invitation never raises or lowers it.
  if (!(await insertMembership(tx, { merchantAccountId, personId: member.id, role }, at)))
    throw new Refusal('MEMBER_EXISTS', { person: invitation.mailShown });
  const merges = !(await takeTeamNotice(tx, { person: by, merchantAccountId }));
  await tellTeamChange(tx, outbox, { merchantAccountId, member, role, by, at, merges });
}

async function requireInvitation(tx: Tx, token: string, at: Date): Promise<OpenInvitation> {
  const hash = hashLinkToken(token);
  const invitation = hash && (await lockInvitation(tx, hash, at));
  if (!invitation) throw new Refusal('INVITATION_UNKNOWN');
  return invitation;
}

const audited = ({ merchantAccountId, role }: OpenInvitation, person: string) => ({
  action: 'member.add' as const,
  subject: `merchant:${merchantAccountId}`,
  details: { after: { person, role } },
});

/** Accepts an invitation as a signed-in user whose email address it is for. */
export async function acceptInvitation(context: MailContext, actor: Person, token: string): Promise<void> {
  const { database, clock } = context;
  await inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const invitation = await requireInvitation(tx, token, at);
    const { mailNormal } = await readPerson(tx, actor.id);
    if (mailNormal !== invitation.mailNormal) throw new Refusal('INVITATION_FOR_ANOTHER');
    await join(tx, context, invitation, actor, at);
    await recordAudit(tx, clock, actor, audited(invitation, actor.code));
  });
}

/**
 * Only the emailed token proves the invited address, because the inviter has the token of the link to copy. That one is
 * accepted only if this installation cannot send email.
 */
async function hashFor(
  context: MailContext,
  { address }: Visitor,
  { token, password }: { token: string; password: string },
): Promise<string> {
  const { queries } = context.database;
  await requireLink(queries, address, token);
  const hash = hashLinkToken(token);
  const invitation = hash && (await findInvitation(queries, hash, new Date(context.clock.nowMs())));
  if (!hash || !invitation) throw new Refusal('INVITATION_UNKNOWN');
  if (!invitation.isMailed && (await canMail(queries, context))) throw new Refusal('FOLLOW_THE_MAIL');
  const fault = await findPasswordFault(password, invitation.mailNormal);
  if (fault) throw new Refusal('PASSWORD_UNFIT', { fault });
  const reserved = await requireAttempt(queries, linkSubject(hash));
  return returnIfBusy(queries, reserved, () => hashPassword(password, { known: linkSubject(hash) }));
}

/** Accepts an invitation for an address without a user: creates the user and signs them in. */
export async function acceptAsNewPerson(
  context: RegistrationContext,
  actor: Visitor,
  { token, name, language, password, present }: NewMember & { token: string },
): Promise<string> {
  const { database, clock, registration } = context;
  requireRegistration(registration, 'invitation');
  const passwordHash = await hashFor(context, actor, { token, password });
  return inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const invitation = await requireInvitation(tx, token, at);
    const code = createPersonCode();
    const mail = { normal: invitation.mailNormal, shown: invitation.mailShown };
    const id = await insertPerson(tx, { code, mail, name, language, operatorRole: null }, at);
    if (id === undefined) throw new Refusal('PERSON_EXISTS', { mail: mail.shown });
    await savePassword(tx, id, passwordHash, at);
    await verifyPerson(tx, id, at);
    await join(tx, context, invitation, { id, code }, at);
    const person = { id, operatorRole: null };
    const session = { person, proof: 'password', half: false, elevated: false, origin: actor } as const;
    await endPresentSession(tx, actor, present, at);
    await noteSignIn(tx, context, { personId: id, kind: 'sign-in', origin: actor }, at);
    const sessionToken = await openSession(tx, session, at);
    await recordAudit(tx, clock, actor, audited(invitation, code));
    return sessionToken;
  });
}
