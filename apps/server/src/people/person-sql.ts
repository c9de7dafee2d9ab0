import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { Language, OperatorRole } from './person.ts';

type NewPerson = {
  code: string;
  mail: { normal: string; shown: string };
  name: string;
  language: Language;
  operatorRole: OperatorRole | null;
};

/** Inserts a person; undefined when another person has the mail address. */
export async function insertPerson(tx: Tx, person: NewPerson, at: Date): Promise<bigint | undefined> {
  const { code, mail, name, language, operatorRole } = person;
  const { rows } = await sql<{ id: bigint }>`
    insert into people (code, mail_normal, mail_shown, name, language, operator_role, created_at)
    values (${code}, ${mail.normal}, ${mail.shown}, ${name}, ${language}, ${operatorRole}, ${at})
    on conflict (mail_normal) do nothing returning id`.execute(tx);
  return rows[0]?.id;
}

export type KnownPerson = {
  id: bigint;
  code: string;
  name: string;
  mail: string;
  /** The mail address in the form that is compared. */
  mailNormal: string;
  language: Language;
  passwordHash: string | null;
  operatorRole: OperatorRole | null;
  /** Whether the person may sign in: the mail address is verified, and nobody has disabled the person. */
  admitted: boolean;
  /** Whether the person has an authenticator app or a passkey. */
  hasFactor: boolean;
};

const KNOWN = sql`
  select p.id, p.code, p.name, p.mail_shown as mail, p.mail_normal as "mailNormal", p.language, p.password_hash as "passwordHash", p.operator_role as "operatorRole",
    p.verified_at is not null and p.disabled_at is null as admitted,
    exists (select from totp t where t.person_id = p.id and t.confirmed_at is not null)
      or exists (select from passkeys k where k.person_id = p.id) as "hasFactor"
  from people p`;

export async function findPersonByMail(queries: Queries, mailNormal: string): Promise<KnownPerson | undefined> {
  const { rows } = await sql<KnownPerson>`${KNOWN} where p.mail_normal = ${mailNormal}`.execute(queries);
  return rows[0];
}

export async function findPersonByCode(queries: Queries | Tx, code: string): Promise<KnownPerson | undefined> {
  const { rows } = await sql<KnownPerson>`${KNOWN} where p.code = ${code}`.execute(queries);
  return rows[0];
}

export async function readPerson(queries: Queries | Tx, id: bigint): Promise<KnownPerson> {
  const { rows } = await sql<KnownPerson>`${KNOWN} where p.id = ${id}`.execute(queries);
  const [person] = rows;
  if (!person) throw new Error(`Person ${id} is gone.`);
  return person;
}

export async function savePassword(tx: Tx, personId: bigint, passwordHash: string, at: Date): Promise<void> {
  await sql`
    update people set password_hash = ${passwordHash}, password_set_at = ${at} where id = ${personId}`.execute(tx);
}

/** Notes that a person's mail address is theirs; the first proof counts. */
export async function verifyPerson(tx: Tx, personId: bigint, at: Date): Promise<void> {
  await sql`update people set verified_at = ${at} where id = ${personId} and verified_at is null`.execute(tx);
}

type LinkPurpose = 'set-password' | 'verify';

type NewLink = { hash: Buffer; purpose: LinkPurpose; personId: bigint; expiresAt: Date };

export async function insertLink(tx: Tx, { hash, purpose, personId, expiresAt }: NewLink, at: Date): Promise<void> {
  await sql`
    insert into link_tokens (hash, purpose, person_id, created_at, expires_at)
    values (${hash}, ${purpose}, ${personId}, ${at}, ${expiresAt})`.execute(tx);
}

/** Uses a link, once; undefined for a link that is unknown, for another purpose, used or too old. */
export async function useLink(tx: Tx, hash: Buffer, purpose: LinkPurpose, at: Date): Promise<bigint | undefined> {
  const { rows } = await sql<{ personId: bigint }>`
    update link_tokens set used_at = ${at}
    where hash = ${hash} and purpose = ${purpose} and used_at is null and expires_at > ${at}
    returning person_id as "personId"`.execute(tx);
  return rows[0]?.personId;
}

/** Ends all links of a person that were not followed. */
export async function endLinks(tx: Tx, personId: bigint, at: Date): Promise<void> {
  await sql`update link_tokens set used_at = ${at} where person_id = ${personId} and used_at is null`.execute(tx);
}
