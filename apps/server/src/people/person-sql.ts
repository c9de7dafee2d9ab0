import type { Language } from '@counterfoil/core/language.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { OperatorRole } from './person.ts';

type NewPerson = {
  code: string;
  mail: { normal: string; shown: string };
  name: string;
  language: Language;
  operatorRole: OperatorRole | null;
};

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
  mailNormal: string;
  language: Language;
  passwordHash: string | null;
  operatorRole: OperatorRole | null;
  /** Whether the person may sign in: the email address is verified and the person is not disabled. */
  admitted: boolean;
  hasFactor: boolean;
  hasTotp: boolean;
  hasPasskey: boolean;
};

const KNOWN = sql`
  select p.id, p.code, p.name, p.mail_shown as mail, p.mail_normal as "mailNormal", p.language, p.password_hash as "passwordHash", p.operator_role as "operatorRole",
    p.verified_at is not null and p.disabled_at is null as admitted,
    a.confirmed or a.passkey as "hasFactor", a.confirmed as "hasTotp", a.passkey as "hasPasskey"
  from people p
    cross join lateral (select exists (select from totp t where t.person_id = p.id and t.confirmed_at is not null) as confirmed,
      exists (select from passkeys k where k.person_id = p.id) as passkey) a`;

export async function findPersonByMail(queries: Queries | Tx, mailNormal: string): Promise<KnownPerson | undefined> {
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

export async function saveLanguage(tx: Tx, personId: bigint, language: Language): Promise<void> {
  await sql`update people set language = ${language} where id = ${personId}`.execute(tx);
}

/** Verifies a person's email address; the first proof counts. */
export async function verifyPerson(tx: Tx, personId: bigint, at: Date): Promise<void> {
  await sql`update people set verified_at = ${at} where id = ${personId} and verified_at is null`.execute(tx);
}

/**
 * Locks a person. Opening a session, or ending sessions after a change of password or methods, takes this lock first: a
 * session opened at the same time would otherwise outlive the change. Inserting rows that refer to the person does not
 * wait.
 */
export async function lockPerson(tx: Tx, personId: bigint): Promise<void> {
  await sql`select from people where id = ${personId} for no key update`.execute(tx);
}

export async function findPersonName(queries: Queries, code: string): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select name from people where code = ${code}`.execute(queries);
  return rows[0]?.name;
}

/** Fails by the unique index if another user has the address. */
export async function saveMailAddress(
  tx: Tx,
  personId: bigint,
  { normal, shown }: { normal: string; shown: string },
): Promise<void> {
  await sql`update people set mail_normal = ${normal}, mail_shown = ${shown} where id = ${personId}`.execute(tx);
}
