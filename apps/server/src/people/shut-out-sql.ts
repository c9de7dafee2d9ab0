import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { endDevices } from './device-sql.ts';
import type { OperatorRole } from './person.ts';
import type { Proof } from './session.ts';

/** Statements for operators who shut a person out. They never read the hash of a session or link. */

export async function savePersonDisabled(tx: Tx, personId: bigint, at: Date): Promise<boolean> {
  const { rows } = await sql`
    update people set disabled_at = ${at} where id = ${personId} and disabled_at is null returning 1`.execute(tx);
  return rows.length > 0;
}

export async function savePersonEnabled(tx: Tx, personId: bigint): Promise<boolean> {
  const { rows } = await sql`
    update people set disabled_at = null where id = ${personId} and disabled_at is not null returning 1`.execute(tx);
  return rows.length > 0;
}

export async function saveOperatorRole(tx: Tx, personId: bigint, role: OperatorRole | null): Promise<void> {
  await sql`update people set operator_role = ${role} where id = ${personId}`.execute(tx);
}

/** Ends all links about a person that can still be followed; returns how many. */
export async function endAllLinks(tx: Tx, personId: bigint, at: Date): Promise<number> {
  const { rows } = await sql`
    update link_tokens set used_at = ${at}
    where person_id = ${personId} and used_at is null and expires_at > ${at} returning 1`.execute(tx);
  return rows.length;
}

export async function endAddressChange(tx: Tx, personId: bigint, at: Date): Promise<void> {
  await sql`update address_changes set ended_at = ${at} where person_id = ${personId} and ended_at is null`.execute(tx);
}

export async function endInvitationsBy(tx: Tx, personId: bigint, at: Date): Promise<string[]> {
  const { rows } = await sql<{ code: string }>`
    update invitations set ended_at = ${at}
    where invited_by = ${personId} and ended_at is null and expires_at > ${at} returning code`.execute(tx);
  return rows.map(({ code }) => code).toSorted();
}

/**
 * Ends the sessions of a person, or the one with a public code; returns how many lasted until then. If all end, no
 * browser stays known either.
 */
export async function endSessionsOf(
  tx: Tx,
  { personId, session }: { personId: bigint; session?: string | undefined },
  at: Date,
): Promise<number> {
  const { rows } = await sql`
    update sessions set revoked_at = ${at}
    where person_id = ${personId} and revoked_at is null and idle_until > ${at} and absolute_until > ${at}
      ${session === undefined ? sql`` : sql`and code = ${session}`} returning 1`.execute(tx);
  if (session === undefined) await endDevices(tx, personId, undefined);
  return rows.length;
}

export type OpenSession = {
  code: string;
  proof: Proof;
  half: boolean;
  createdAt: Date;
  seenAt: Date;
  address: string;
  agent: string;
};

export async function findOpenSessions(
  queries: Queries,
  { personId, now, limit }: { personId: bigint; now: Date; limit: number },
): Promise<OpenSession[]> {
  const { rows } = await sql<OpenSession>`
    select code, proof, half, created_at as "createdAt", seen_at as "seenAt", address, agent from sessions
    where person_id = ${personId} and revoked_at is null and idle_until > ${now} and absolute_until > ${now}
    order by created_at desc, code limit ${limit}`.execute(queries);
  return rows;
}
