import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { Origin } from '../lib/actor.ts';
import type { SecurityEventKind } from './security-event.ts';

type SecurityEvent = {
  kind: SecurityEventKind;
  personId: bigint | null;
  address: string;
  agent: string;
  /** Replaces the attempted email address. */
  mark?: Buffer;
};

export async function insertSecurityEvent(queries: Queries | Tx, event: SecurityEvent, at: Date): Promise<void> {
  const { kind, personId, address, agent, mark = null } = event;
  await sql`
    insert into security_events (at, person_id, kind, address, agent, mail_mark)
    values (${at}, ${personId}, ${kind}, ${address}, ${agent}, ${mark})`.execute(queries);
}

type Page = {
  since: Date;
  before: Date;
  /** A page also includes the other events of its last moment, so that the next one can begin before it. */
  limit: number;
};

export type ListedEvent = Origin & { at: Date; kind: SecurityEventKind };

export async function listOwnEvents(
  queries: Queries,
  personId: bigint,
  { since, before, limit }: Page,
): Promise<ListedEvent[]> {
  const { rows } = await sql<ListedEvent>`
    select at, kind, address, agent from security_events
    where person_id = ${personId} and at < ${before} and at >= ${since}
    order by at desc fetch first ${limit} rows with ties`.execute(queries);
  return rows;
}

export async function listTeamEvents(
  queries: Queries,
  merchantAccountId: bigint,
  { since, before, limit }: Page,
): Promise<(ListedEvent & { person: string })[]> {
  const { rows } = await sql<ListedEvent & { person: string }>`
    select e.at, e.kind, e.address, e.agent, p.code as person
    from memberships m join people p on p.id = m.person_id
    cross join lateral (
      select s.at, s.kind, s.address, s.agent from security_events s
      where s.person_id = m.person_id and s.at < ${before} and s.at >= greatest(m.since, ${since}::timestamptz)
      order by s.at desc fetch first ${limit} rows with ties) e
    where m.merchant_account_id = ${merchantAccountId}
    order by e.at desc fetch first ${limit} rows with ties`.execute(queries);
  return rows;
}

type OperatorEvent = ListedEvent & { person: string | null };

type Wanted = {
  personId: bigint | undefined;
  kind: SecurityEventKind | undefined;
  since: Date;
  limit: number;
};

/** The newest events of one person or of everybody, of one kind or of all, for an operator. */
export async function listAllEvents(
  queries: Queries,
  { personId, kind, since, limit }: Wanted,
): Promise<OperatorEvent[]> {
  const of = personId === undefined ? sql`` : sql`and e.person_id = ${personId}`;
  const ofKind = kind === undefined ? sql`` : sql`and e.kind = ${kind}`;
  const { rows } = await sql<OperatorEvent>`
    select e.at, e.kind, e.address, e.agent, p.code as person
    from security_events e left join people p on p.id = e.person_id
    where e.at >= ${since} ${of} ${ofKind} order by e.at desc limit ${limit}`.execute(queries);
  return rows;
}

const SIGN_INS = sql.raw(`('sign-in', 'recovery-code-used')`);

/** Origins of a person's sign-ins, newest first. */
export async function listSignInOrigins(
  tx: Tx,
  personId: bigint,
  { since, limit }: { since: Date; limit: number },
): Promise<Origin[]> {
  const { rows } = await sql<Origin>`
    select address, agent from security_events
    where person_id = ${personId} and at >= ${since} and kind in ${SIGN_INS} order by at desc limit ${limit}`.execute(
    tx,
  );
  return rows;
}

export async function findSignInOrigin(queries: Queries, personId: bigint, at: Date): Promise<Origin | undefined> {
  const { rows } = await sql<Origin>`
    select address, agent from security_events
    where person_id = ${personId} and at = ${at} and kind in ${SIGN_INS} limit 1`.execute(queries);
  return rows[0];
}

export async function listRefusedSignIns(
  tx: Tx,
  since: Date,
  limit: number,
): Promise<{ address: string; mark: string }[]> {
  const { rows } = await sql<{ address: string; mark: string }>`
    select distinct address, encode(mail_mark, 'hex') as mark from (
      select address, mail_mark from security_events
      where at > ${since} and kind = 'sign-in-refused' and mail_mark is not null order by at desc limit ${limit}) newest`.execute(
    tx,
  );
  return rows;
}

export async function deleteOldEvents(queries: Queries, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from security_events where at <= (
      select max(at) from (select at from security_events where at < ${before} order by at limit ${limit}) oldest)
    returning 1`.execute(queries);
  return rows.length;
}
