import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

export type LinkSubject =
  | { purpose: 'set-password'; personId: bigint }
  | { purpose: 'keep-factors'; personId: bigint; factorResetId: bigint }
  | { purpose: 'change-mail'; personId: bigint; addressChangeId: bigint }
  | { purpose: 'undo'; personId: bigint; earlierId: bigint }
  | { purpose: 'stop-restore'; personId: bigint; restoreId: bigint }
  | { purpose: 'verify'; signUpId: bigint }
  | { purpose: 'invitation'; invitationId: bigint };

type NewLink = { hash: Buffer; subject: LinkSubject; expiresAt: Date };

export async function insertLink(
  queries: Queries | Tx,
  { hash, subject, expiresAt }: NewLink,
  at: Date,
): Promise<void> {
  const personId = 'personId' in subject ? subject.personId : null;
  const addressChangeId = 'addressChangeId' in subject ? subject.addressChangeId : null;
  const signUpId = 'signUpId' in subject ? subject.signUpId : null;
  const invitationId = 'invitationId' in subject ? subject.invitationId : null;
  const factorResetId = 'factorResetId' in subject ? subject.factorResetId : null;
  const earlierId = 'earlierId' in subject ? subject.earlierId : null;
  const restoreId = 'restoreId' in subject ? subject.restoreId : null;
  await sql`
    insert into link_tokens
      (hash, purpose, person_id, address_change_id, sign_up_id, invitation_id, factor_reset_id, earlier_id, restore_id, created_at,
        expires_at)
    values (${hash}, ${subject.purpose}, ${personId}, ${addressChangeId}, ${signUpId}, ${invitationId}, ${factorResetId},
      ${earlierId}, ${restoreId}, ${at}, ${expiresAt})`.execute(queries);
}

type LinkPurpose = Exclude<LinkSubject['purpose'], 'invitation' | 'undo'>;

type UsedLink = {
  personId: bigint | null;
  addressChangeId: bigint | null;
  signUpId: bigint | null;
  factorResetId: bigint | null;
  restoreId: bigint | null;
};

/** Whether a token was ever issued, for any purpose and in any state. */
export async function isLink(queries: Queries, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    select from link_tokens where hash = ${hash} union all select from invitations where token_hash = ${hash} limit 1`.execute(
    queries,
  );
  return rows.length > 0;
}

/** The person of a password link; undefined if unknown, for another purpose, used or too old. */
export async function findLinkPerson(queries: Queries, hash: Buffer, at: Date): Promise<bigint | undefined> {
  const { rows } = await sql<{ id: bigint | null }>`
    select person_id as id from link_tokens
    where hash = ${hash} and purpose = 'set-password' and used_at is null and expires_at > ${at}`.execute(queries);
  return rows[0]?.id ?? undefined;
}

/** Uses a link once; undefined for a link that is unknown, for another purpose, used or too old. */
export async function useLink(tx: Tx, hash: Buffer, purpose: LinkPurpose, at: Date): Promise<UsedLink | undefined> {
  const { rows } = await sql<UsedLink>`
    update link_tokens set used_at = ${at}
    where hash = ${hash} and purpose = ${purpose} and used_at is null and expires_at > ${at}
    returning person_id as "personId", address_change_id as "addressChangeId", sign_up_id as "signUpId",
      factor_reset_id as "factorResetId", restore_id as "restoreId"`.execute(tx);
  return rows[0];
}

/** The person and credentials of an undo link, which works repeatedly until it is used up by a restore or expires. */
export async function findUndoLink(
  queries: Queries | Tx,
  hash: Buffer,
  now: Date,
): Promise<{ personId: bigint; earlierId: bigint } | undefined> {
  const { rows } = await sql<{ personId: bigint; earlierId: bigint }>`
    select l.person_id as "personId", l.earlier_id as "earlierId"
    from link_tokens l
    join earlier_credentials e on e.id = l.earlier_id and e.ended_at is null
    join people p on p.id = l.person_id and p.disabled_at is null
    where l.hash = ${hash} and l.purpose = 'undo' and l.used_at is null and l.expires_at > ${now}`.execute(queries);
  return rows[0];
}

/**
 * Ends all links that change a password or email address. Links that only protect continue to work: a thief with access
 * to the inbox must not be able to void them.
 */
export async function endLinks(tx: Tx, personId: bigint, at: Date): Promise<void> {
  await sql`
    update link_tokens set used_at = ${at}
    where person_id = ${personId} and used_at is null and purpose in ('set-password', 'change-mail')`.execute(tx);
}

export async function deleteOldLinks(queries: Queries, before: Date, limit: number): Promise<void> {
  await sql`
    delete from link_tokens where hash = any(array(
      select hash from link_tokens where expires_at < ${before} order by expires_at limit ${limit}))`.execute(queries);
}
