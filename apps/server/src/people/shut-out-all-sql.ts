import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';

/** Statements for the time after a restore, in which ended sessions, links and codes may be valid again. */

type ShutOut = { sessions: number; links: number; invitations: number; recoveryCodes: number };

/** Ends all sessions, known browsers, links and invitations, and suspends recovery codes. */
export async function shutOutAll(tx: Tx, at: Date): Promise<ShutOut> {
  const { rows } = await sql<ShutOut>`
    with ended as (
      update sessions set revoked_at = ${at} where revoked_at is null and absolute_until > ${at} returning 1
    ), forgotten as (
      delete from devices
    ), followed as (
      update link_tokens set used_at = ${at} where used_at is null and expires_at > ${at} returning 1
    ), uninvited as (
      update invitations set ended_at = ${at} where ended_at is null and expires_at > ${at} returning 1
    ), suspended as (
      update recovery_codes set suspended_at = ${at} where used_at is null and suspended_at is null returning 1
    )
    select (select count(*)::integer from ended) as sessions, (select count(*)::integer from followed) as links,
      (select count(*)::integer from uninvited) as invitations, (select count(*)::integer from suspended) as "recoveryCodes"`.execute(
    tx,
  );
  const [ended] = rows;
  if (!ended) throw new Error('The end of all sessions was not answered for.');
  return ended;
}
