import type { Language } from '@counterfoil/core/language.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/** Sign-ups that wait for proof of their email address. */

type SignUp = { mail: { normal: string; shown: string }; name: string; language: Language; passwordHash: string };

export async function insertSignUp(
  tx: Tx,
  signUp: SignUp,
  { at, expiresAt }: { at: Date; expiresAt: Date },
): Promise<bigint> {
  const { mail, name, language, passwordHash } = signUp;
  const { rows } = await sql<{ id: bigint }>`
    insert into sign_ups (mail_normal, mail_shown, name, language, password_hash, created_at, expires_at)
    values (${mail.normal}, ${mail.shown}, ${name}, ${language}, ${passwordHash}, ${at}, ${expiresAt})
    returning id`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('A sign-up was not inserted.');
  return row.id;
}

/** The hash of the password chosen in the sign-up of a link, if it exists. */
export async function findChosenPassword(queries: Queries, linkHash: Buffer, at: Date): Promise<string | undefined> {
  const { rows } = await sql<{ passwordHash: string }>`
    select s.password_hash as "passwordHash" from link_tokens l join sign_ups s on s.id = l.sign_up_id
    where l.hash = ${linkHash} and l.purpose = 'verify' and l.used_at is null and l.expires_at > ${at}
      and s.ended_at is null`.execute(queries);
  return rows[0]?.passwordHash;
}

type TakenSignUp = { mailNormal: string; mailShown: string; name: string; language: Language; passwordHash: string };

export async function takeSignUp(tx: Tx, id: bigint, at: Date): Promise<TakenSignUp | undefined> {
  const { rows } = await sql<TakenSignUp>`
    update sign_ups set ended_at = ${at} where id = ${id} and ended_at is null and expires_at > ${at}
    returning mail_normal as "mailNormal", mail_shown as "mailShown", name, language, password_hash as "passwordHash"`.execute(
    tx,
  );
  return rows[0];
}

export async function deleteOldSignUps(queries: Queries, before: Date, limit: number): Promise<void> {
  await sql`
    delete from sign_ups where id = any(array(
      select id from sign_ups where expires_at < ${before} order by expires_at limit ${limit}))`.execute(queries);
}
