import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { Role } from './permission.ts';

type NewInvitation = {
  code: string;
  merchantAccountId: bigint;
  mail: { normal: string; shown: string };
  role: Role;
  tokenHash: Buffer;
  invitedBy: bigint;
  expiresAt: Date;
};

export async function insertInvitation(tx: Tx, invitation: NewInvitation, at: Date): Promise<void> {
  const { code, merchantAccountId, mail, role, tokenHash, invitedBy, expiresAt } = invitation;
  await sql`
    insert into invitations (code, merchant_account_id, mail_normal, mail_shown, role, token_hash, invited_by, created_at, expires_at)
    values (${code}, ${merchantAccountId}, ${mail.normal}, ${mail.shown}, ${role}, ${tokenHash}, ${invitedBy}, ${at}, ${expiresAt})`.execute(
    tx,
  );
}

/** Ends the open invitation of a mail address, in place of which a new one is made. */
export async function endInvitationOf(tx: Tx, merchantAccountId: bigint, mailNormal: string, at: Date): Promise<void> {
  await sql`
    update invitations set ended_at = ${at}
    where merchant_account_id = ${merchantAccountId} and mail_normal = ${mailNormal} and ended_at is null`.execute(tx);
}

/** Takes an open invitation back; undefined when the merchant has no such invitation. */
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
};

const OPEN = (tokenHash: Buffer, now: Date) => sql`
  select i.id, i.merchant_account_id as "merchantAccountId", a.name as "merchantName", i.mail_normal as "mailNormal",
    i.mail_shown as "mailShown", i.role
  from invitations i join merchants a on a.id = i.merchant_account_id
  where i.token_hash = ${tokenHash} and i.ended_at is null and i.expires_at > ${now}`;

export async function findInvitation(
  queries: Queries,
  tokenHash: Buffer,
  now: Date,
): Promise<OpenInvitation | undefined> {
  const { rows } = await sql<OpenInvitation>`${OPEN(tokenHash, now)}`.execute(queries);
  return rows[0];
}

/** Locks an open invitation, so that it is accepted once. */
export async function lockInvitation(tx: Tx, tokenHash: Buffer, now: Date): Promise<OpenInvitation | undefined> {
  const { rows } = await sql<OpenInvitation>`${OPEN(tokenHash, now)} for update of i`.execute(tx);
  return rows[0];
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
};

/** The open invitations of a merchant, the newest first. */
export async function listInvitations(
  queries: Queries,
  { merchantAccountId, now, limit }: { merchantAccountId: bigint; now: Date; limit: number },
): Promise<ListedInvitation[]> {
  const { rows } = await sql<ListedInvitation>`
    select code, mail_shown as mail, role, created_at as "createdAt", expires_at as "expiresAt", opened_at as "openedAt"
    from invitations where merchant_account_id = ${merchantAccountId} and ended_at is null and expires_at > ${now}
    order by id desc limit ${limit}`.execute(queries);
  return rows;
}
