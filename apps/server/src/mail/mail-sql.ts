import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { firstCharacters } from '../lib/text.ts';
import type { MailData, MailState } from './mail.ts';

export type StoredMail = {
  id: bigint;
  template: string;
  language: string;
  toAddress: string;
  data: MailData;
  state: MailState;
  createdAt: Date;
  decidedAt: Date | null;
  attempts: number;
  lastError: string | null;
  /** How many more emails this one replaces. */
  merged: number;
};

type NewMail = Pick<StoredMail, 'template' | 'language' | 'toAddress' | 'data' | 'createdAt'> & {
  state: 'queued' | 'unsent';
  share: string | null;
};

const MAX_ERROR_CHARACTERS = 500;
/** Oldest emails read when old ones are erased: queued ones stay, and are few. */
const MAX_LOOKED_AT = 1_000;

const bounded = (error: string) => firstCharacters(error, MAX_ERROR_CHARACTERS);

export async function insertMail(tx: Tx, mail: NewMail): Promise<bigint> {
  const { id } = await tx
    .insertInto('mails')
    .values({
      template: mail.template,
      language: mail.language,
      to_address: mail.toAddress,
      data: JSON.stringify(mail.data),
      state: mail.state,
      created_at: mail.createdAt,
      decided_at: mail.state === 'unsent' ? mail.createdAt : null,
      share: mail.share,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Merges an email into the queued one with the same key; returns its id, and whether it is new. */
export async function mergeMail(tx: Tx, mail: NewMail, mergeKey: string): Promise<{ mailId: bigint; isNew: boolean }> {
  const { rows } = await sql<{ mailId: bigint; merged: number }>`
    insert into mails as m (template, language, to_address, data, state, created_at, share, merge_key)
    values (${mail.template}, ${mail.language}, ${mail.toAddress}, ${JSON.stringify(mail.data)}, 'queued', ${mail.createdAt},
      ${mail.share}, ${mergeKey})
    on conflict (merge_key) where state = 'queued' and merge_key is not null do update set merged = m.merged + 1
    returning m.id as "mailId", m.merged`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('A mail was not stored.');
  return { mailId: row.mailId, isNew: row.merged === 0 };
}

/** Queued emails of a share, urgent or ordinary, counted up to `most`. */
export async function countWaiting(
  tx: Tx,
  share: string,
  { ordinary, isOrdinary, most }: { ordinary: readonly string[]; isOrdinary: boolean; most: number },
): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::integer as waiting from (
      select from mails where share = ${share} and state = 'queued'
        and (template = any(${ordinary}::text[])) = ${isOrdinary}::boolean limit ${most}) w`.execute(tx);
  return rows[0]?.waiting ?? 0;
}

export async function findMail(queries: Queries, id: bigint): Promise<StoredMail | undefined> {
  const { rows } = await sql<StoredMail>`
    select m.id, m.template, m.language, m.to_address as "toAddress", m.data, m.state, m.created_at as "createdAt",
      m.decided_at as "decidedAt", m.attempts, m.last_error as "lastError", m.merged
    from mails m where m.id = ${id}`.execute(queries);
  return rows[0];
}

export async function decideMail(
  queries: Queries,
  id: bigint,
  decision: { state: 'sent' | 'failed' | 'dropped'; at: Date; attempted: boolean; error?: string },
): Promise<void> {
  await sql`
    update mails set state = ${decision.state}, decided_at = ${decision.at},
      attempts = attempts + ${decision.attempted ? 1 : 0}::integer,
      last_error = coalesce(${decision.error === undefined ? null : bounded(decision.error)}, last_error)
    where id = ${id} and state = 'queued'`.execute(queries);
}

/** Counts a failed attempt that will be repeated; returns how many there were. */
export async function countAttempt(queries: Queries, id: bigint, error: string): Promise<number> {
  const { rows } = await sql<{ attempts: number }>`
    update mails set attempts = attempts + 1, last_error = ${bounded(error)} where id = ${id} and state = 'queued'
    returning attempts`.execute(queries);
  return rows[0]?.attempts ?? 0;
}

/** Deletes emails decided before a moment, oldest first; ids follow creation time. */
export async function deleteOldMails(queries: Queries, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from mails where id = any(array(
      select m.id from (select id, decided_at from mails order by id limit ${MAX_LOOKED_AT}) m
      where m.decided_at < ${before} limit ${limit}))
    returning 1`.execute(queries);
  return rows.length;
}
