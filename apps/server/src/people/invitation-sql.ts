import type { Role } from '@counterfoil/core/permission.ts';
import { mayGrant } from '@counterfoil/core/permission.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { MailState } from '../mail/mail.ts';

type NewInvitation = {
  code: string;
  merchantAccountId: bigint;
  mail: { normal: string; shown: string };
  role: Role;
  tokenHash: Buffer;
  invitedBy: bigint;
  expiresAt: Date;
  mailId: bigint;
};

export async function insertInvitation(tx: Tx, invitation: NewInvitation, at: Date): Promise<void> {
  const { code, merchantAccountId, mail, role, tokenHash, invitedBy, expiresAt, mailId } = invitation;
  await sql`
    insert into invitations (code, merchant_account_id, mail_normal, mail_shown, role, token_hash, invited_by, created_at, expires_at, mail_id)
    values (${code}, ${merchantAccountId}, ${mail.normal}, ${mail.shown}, ${role}, ${tokenHash}, ${invitedBy}, ${at}, ${expiresAt},
      ${mailId})`.execute(tx);
}

/** Ends the earlier invitation of an address; its role, if it was open. */
export async function endInvitationOf(
  tx: Tx,
  merchantAccountId: bigint,
  mailNormal: string,
  at: Date,
): Promise<Role | undefined> {
  const { rows } = await sql<{ role: Role; isOpen: boolean }>`
    update invitations set ended_at = ${at}
    where merchant_account_id = ${merchantAccountId} and mail_normal = ${mailNormal} and ended_at is null
    returning role, expires_at > ${at} as "isOpen"`.execute(tx);
  return rows.find(({ isOpen }) => isOpen)?.role;
}

export async function countInvitations(tx: Tx, merchantAccountId: bigint, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from invitations
    where merchant_account_id = ${merchantAccountId} and ended_at is null and expires_at > ${now}`.execute(tx);
  return rows[0]?.count ?? 0;
}

export async function endInvitation(
  tx: Tx,
  merchantAccountId: bigint,
  code: string,
  at: Date,
): Promise<{ mail: string; role: Role } | undefined> {
  const { rows } = await sql<{ mail: string; role: Role }>`
    update invitations set ended_at = ${at}
    where merchant_account_id = ${merchantAccountId} and code = ${code} and ended_at is null
    returning mail_shown as mail, role`.execute(tx);
  return rows[0];
}

export type OpenInvitation = {
  id: bigint;
  merchantAccountId: bigint;
  merchantName: string;
  mailNormal: string;
  mailShown: string;
  role: Role;
  /** Whether the token was emailed; otherwise it was shown to the inviter. */
  isMailed: boolean;
  inviter: string;
  inviterRole: Role;
};

/** An open invitation by token; void when the inviter may not sign in or is no longer a member. */
const OPEN = (tokenHash: Buffer, now: Date) => sql`
  select i.id, i.merchant_account_id as "merchantAccountId", a.name as "merchantName", i.mail_normal as "mailNormal",
    i.mail_shown as "mailShown", i.role, i.token_hash <> ${tokenHash} as "isMailed",
    p.code as inviter, m.role as "inviterRole"
  from invitations i join merchants a on a.id = i.merchant_account_id
  join memberships m on m.merchant_account_id = i.merchant_account_id and m.person_id = i.invited_by
  join people p on p.id = i.invited_by and p.disabled_at is null
  where i.id = coalesce(
      (select t.id from invitations t where t.token_hash = ${tokenHash}),
      (select l.invitation_id from link_tokens l where l.hash = ${tokenHash} and l.purpose = 'invitation'))
    and i.ended_at is null and i.expires_at > ${now}`;

/** The inviter may have been demoted since. */
const mayStillInvite = ({ inviterRole, role }: OpenInvitation) => mayGrant(inviterRole, role);

export async function findInvitation(
  queries: Queries,
  tokenHash: Buffer,
  now: Date,
): Promise<OpenInvitation | undefined> {
  const { rows } = await sql<OpenInvitation>`${OPEN(tokenHash, now)}`.execute(queries);
  return rows.find(mayStillInvite);
}

/** Locks an open invitation, so that it is accepted only once, and the inviter's membership. */
export async function lockInvitation(tx: Tx, tokenHash: Buffer, now: Date): Promise<OpenInvitation | undefined> {
  const { rows } = await sql<OpenInvitation>`${OPEN(tokenHash, now)} for update of i for share of m`.execute(tx);
  return rows.find(mayStillInvite);
}

export async function noteInvitationOpened(queries: Queries, id: bigint, at: Date): Promise<void> {
  await sql`update invitations set opened_at = ${at} where id = ${id} and opened_at is null`.execute(queries);
}

export async function acceptOpenInvitation(tx: Tx, id: bigint, personId: bigint, at: Date): Promise<void> {
  await sql`update invitations set ended_at = ${at}, accepted_by = ${personId} where id = ${id}`.execute(tx);
}

type ListedInvitation = {
  code: string;
  mail: string;
  role: Role;
  createdAt: Date;
  expiresAt: Date;
  openedAt: Date | null;
  mailState: MailState | null;
};

export async function listInvitations(
  queries: Queries,
  { merchantAccountId, now, limit }: { merchantAccountId: bigint; now: Date; limit: number },
): Promise<ListedInvitation[]> {
  const { rows } = await sql<ListedInvitation>`
    select i.code, i.mail_shown as mail, i.role, i.created_at as "createdAt", i.expires_at as "expiresAt",
      i.opened_at as "openedAt", m.state as "mailState"
    from invitations i left join mails m on m.id = i.mail_id
    where i.merchant_account_id = ${merchantAccountId} and i.ended_at is null and i.expires_at > ${now}
    order by i.id desc limit ${limit}`.execute(queries);
  return rows;
}
