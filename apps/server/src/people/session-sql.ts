import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { endDevices } from './device-sql.ts';
import type { OperatorRole } from './person.ts';
import type { Proof, SessionState } from './session.ts';

type NewSession = {
  hash: Buffer;
  code: string;
  personId: bigint;
  proof: Proof;
  half: boolean;
  idleUntil: Date;
  absoluteUntil: Date;
  elevatedUntil: Date | null;
  address: string;
  agent: string;
};

export async function insertSession(tx: Tx, session: NewSession, at: Date): Promise<void> {
  const { hash, code, personId, proof, half, idleUntil, absoluteUntil, elevatedUntil, address, agent } = session;
  await sql`
    insert into sessions (hash, code, person_id, proof, half, created_at, seen_at, idle_until, absolute_until, elevated_until, address, agent)
    values (${hash}, ${code}, ${personId}, ${proof}, ${half}, ${at}, ${at}, ${idleUntil}, ${absoluteUntil}, ${elevatedUntil},
      ${address}, ${agent})`.execute(tx);
}

export type KnownSession = SessionState & {
  code: string;
  proof: Proof;
  seenAt: Date;
  personId: bigint;
  personCode: string;
  operatorRole: OperatorRole | null;
  admitted: boolean;
};

const KNOWN = sql`
  select s.code, s.proof, s.half, s.seen_at as "seenAt", s.idle_until as "idleUntil", s.absolute_until as "absoluteUntil",
    s.elevated_until as "elevatedUntil", s.revoked_at as "revokedAt", p.id as "personId", p.code as "personCode",
    p.operator_role as "operatorRole", p.disabled_at is null as admitted
  from sessions s join people p on p.id = s.person_id`;

export async function findSession(queries: Queries | Tx, hash: Buffer): Promise<KnownSession | undefined> {
  const { rows } = await sql<KnownSession>`${KNOWN} where s.hash = ${hash}`.execute(queries);
  return rows[0];
}

/** Locks an active session, so that two requests cannot both exchange it. */
export async function lockSession(tx: Tx, hash: Buffer): Promise<KnownSession | undefined> {
  const { rows } = await sql<KnownSession>`
    ${KNOWN} where s.hash = ${hash} and s.revoked_at is null for update of s`.execute(tx);
  return rows[0];
}

export async function noteSessionSeen(queries: Queries, hash: Buffer, seenAt: Date, idleUntil: Date): Promise<void> {
  await sql`
    update sessions set seen_at = ${seenAt}, idle_until = ${idleUntil}
    where hash = ${hash} and revoked_at is null and seen_at < ${seenAt}`.execute(queries);
}

/** Records that a session no longer has two-factor, because its user has none left. */
export async function lowerProof(tx: Tx, hash: Buffer): Promise<void> {
  await sql`update sessions set proof = 'password' where hash = ${hash}`.execute(tx);
}

export async function revokeSession(tx: Tx, hash: Buffer, at: Date): Promise<void> {
  await sql`update sessions set revoked_at = ${at} where hash = ${hash} and revoked_at is null`.execute(tx);
}

export async function revokeSessionByCode(tx: Tx, personId: bigint, code: string, at: Date): Promise<boolean> {
  const { rows } = await sql`
    update sessions set revoked_at = ${at} where person_id = ${personId} and code = ${code} and revoked_at is null
    returning 1`.execute(tx);
  return rows.length > 0;
}

/** Revokes the oldest of a person's other sessions beyond a number. */
export async function revokeOldest(
  tx: Tx,
  { personId, kept, most, at }: { personId: bigint; kept: Buffer; most: number; at: Date },
): Promise<void> {
  await sql`
    update sessions set revoked_at = ${at} where hash = any(array(
      select hash from sessions
      where person_id = ${personId} and revoked_at is null and idle_until > ${at} and hash <> ${kept}
      order by created_at desc offset ${most}))`.execute(tx);
}

/** Revokes all sessions of a person but one. If none is kept, known browsers are forgotten too. */
export async function revokeSessionsOf(tx: Tx, personId: bigint, kept: Buffer | null, at: Date): Promise<void> {
  await sql`
    update sessions set revoked_at = ${at}
    where person_id = ${personId} and revoked_at is null and hash is distinct from ${kept}`.execute(tx);
  if (kept === null) await endDevices(tx, personId, undefined);
}

export type ListedSession = {
  code: string;
  createdAt: Date;
  seenAt: Date;
  address: string;
  agent: string;
  present: boolean;
};

export async function listSessions(
  queries: Queries,
  { personId, present, now, limit }: { personId: bigint; present: Buffer; now: Date; limit: number },
): Promise<ListedSession[]> {
  const { rows } = await sql<ListedSession>`
    select code, created_at as "createdAt", seen_at as "seenAt", address, agent, hash = ${present} as present from sessions
    where person_id = ${personId} and revoked_at is null and not half and idle_until > ${now} and absolute_until > ${now}
    order by created_at desc limit ${limit}`.execute(queries);
  return rows;
}

export async function deleteEndedSessions(tx: Tx, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from sessions where hash = any(array(
      select hash from sessions where absolute_until < ${before} order by absolute_until limit ${limit}))
    returning 1`.execute(tx);
  return rows.length;
}
