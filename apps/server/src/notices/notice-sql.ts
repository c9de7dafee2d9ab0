import type { Language } from '@counterfoil/core/language.ts';
import type { Role } from '@counterfoil/core/permission.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { HAS_ACCESS } from '../people/membership-sql.ts';
import type { NoticeKind, NoticeTopic } from './notice.ts';

/** Notices: what was reported, their recipients, and preferences. */

// Shared by all workers.
const NOTICE_LOCK = 790_313;

/** Takes the right to create notices until the transaction ends; false if another worker has it. */
export async function lockNotices(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{
    mayTell: boolean;
  }>`select pg_try_advisory_xact_lock(${NOTICE_LOCK}) as "mayTell"`.execute(tx);
  return rows[0]?.mayTell === true;
}

export type NewNotice = {
  merchantAccountId: bigint;
  storeId: bigint | null;
  kind: NoticeKind;
  subject: string;
};

/** Records a notice. Undefined when the fact was reported and still lasts. */
export async function insertNotice(tx: Tx, notice: NewNotice, at: Date): Promise<bigint | undefined> {
  const { merchantAccountId, storeId, kind, subject } = notice;
  const { rows } = await sql<{ id: bigint }>`
    insert into notices (merchant_account_id, store_id, kind, subject, at)
    values (${merchantAccountId}, ${storeId}, ${kind}, ${subject}, ${at})
    on conflict (merchant_account_id, kind, subject) where over_at is null do nothing
    returning id`.execute(tx);
  return rows[0]?.id;
}

export async function endNotice(tx: Tx, { merchantAccountId, kind, subject }: NewNotice, at: Date): Promise<boolean> {
  const { rows } = await sql`
    update notices set over_at = ${at}
    where merchant_account_id = ${merchantAccountId} and kind = ${kind} and subject = ${subject} and over_at is null
    returning 1`.execute(tx);
  return rows.length > 0;
}

/** Erases notices from before a moment. */
export async function eraseNotices(tx: Tx, before: Date, limit: number): Promise<void> {
  await sql`
    delete from notices where id = any(array(select id from notices where at < ${before} order by at limit ${limit}))`.execute(
    tx,
  );
}

/** Whether member `m` sees a store. */
export const SEES = (storeId: ReturnType<typeof sql>) => sql`(m.all_stores or exists (select from membership_stores l
  where l.merchant_account_id = m.merchant_account_id and l.person_id = m.person_id and l.store_id = ${storeId}))`;

type Recipient = {
  id: bigint;
  mail: string;
  language: Language;
  role: Role;
  storeIds: bigint[];
};

/** Members who may sign in, see one of these stores and want the topic, by id. Roles are checked elsewhere. */
export async function listRecipients(
  tx: Tx,
  { merchantAccountId, storeIds }: { merchantAccountId: bigint; storeIds: readonly bigint[] },
  { topic, limit }: { topic: NoticeTopic; limit: number },
): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    select p.id, p.mail_shown as mail, p.language, m.role,
      array(select a.id from unnest(${storeIds}::bigint[]) as a (id) where ${SEES(sql`a.id`)}) as "storeIds"
    from memberships m join people p on p.id = m.person_id and p.disabled_at is null
    where m.merchant_account_id = ${merchantAccountId} and ${HAS_ACCESS}
      and (m.all_stores or exists (select from membership_stores l where l.merchant_account_id = m.merchant_account_id
        and l.person_id = m.person_id and l.store_id = any(${storeIds}::bigint[])))
      and not exists (select from notice_settings s where s.merchant_account_id = m.merchant_account_id
        and s.person_id = m.person_id and s.topic = ${topic} and not s.wanted)
    order by p.id limit ${limit}`.execute(tx);
  return rows;
}

/** A member of a merchant. */
export type NoticeReader = { merchantAccountId: bigint; personId: bigint };

/** The role of a member who may sign in, sees the notice's store, if any, and wants the topic; otherwise undefined. */
export async function findWantingRole(
  queries: Queries,
  { merchantAccountId, personId }: NoticeReader,
  { topic, storeId }: { topic: NoticeTopic; storeId: bigint | null },
): Promise<Role | undefined> {
  const { rows } = await sql<{ role: Role }>`
    select m.role from memberships m join people p on p.id = m.person_id and p.disabled_at is null
    where m.merchant_account_id = ${merchantAccountId} and m.person_id = ${personId} and ${HAS_ACCESS}
      and (${storeId}::bigint is null or ${SEES(sql`${storeId}::bigint`)})
      and not exists (select from notice_settings s where s.merchant_account_id = m.merchant_account_id
        and s.person_id = m.person_id and s.topic = ${topic} and not s.wanted)`.execute(queries);
  return rows[0]?.role;
}

type ToldNotice = NewNotice & { at: Date; overAt: Date | null; merchant: string; store: string | null };

export async function findNotice(queries: Queries, id: bigint): Promise<ToldNotice | undefined> {
  const { rows } = await sql<ToldNotice>`
    select n.merchant_account_id as "merchantAccountId", n.store_id as "storeId", n.kind, n.subject, n.at, n.over_at as "overAt",
      a.name as merchant, s.name as store
    from notices n join merchants a on a.id = n.merchant_account_id left join stores s on s.id = n.store_id
    where n.id = ${id}`.execute(queries);
  return rows[0];
}

type Switched = { merchantAccountId: bigint; topic: NoticeTopic; wanted: boolean };

/** A person's preferences. */
export async function listSwitched(queries: Queries, personId: bigint, limit: number): Promise<Switched[]> {
  const { rows } = await sql<Switched>`
    select s.merchant_account_id as "merchantAccountId", s.topic, s.wanted
    from memberships m join notice_settings s on s.merchant_account_id = m.merchant_account_id and s.person_id = m.person_id
    where m.person_id = ${personId} order by 1, 2 limit ${limit}`.execute(queries);
  return rows;
}

export async function saveSwitched(
  tx: Tx,
  { merchantAccountId, personId }: { merchantAccountId: bigint; personId: bigint },
  { topic, wanted }: { topic: NoticeTopic; wanted: boolean },
): Promise<void> {
  await sql`
    insert into notice_settings (merchant_account_id, person_id, topic, wanted)
    values (${merchantAccountId}, ${personId}, ${topic}, ${wanted})
    on conflict (merchant_account_id, person_id, topic) do update set wanted = excluded.wanted`.execute(tx);
}
