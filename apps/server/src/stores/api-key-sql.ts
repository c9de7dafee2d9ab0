import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

type ApiKeyRow = { storeId: bigint; hash: Buffer; secretId: bigint; hint: string; createdAt: Date };

export async function insertApiKey(tx: Tx, key: ApiKeyRow): Promise<void> {
  await tx
    .insertInto('api_keys')
    .values({
      store_id: key.storeId,
      hash: key.hash,
      secret_id: key.secretId,
      hint: key.hint,
      created_at: key.createdAt,
    })
    .execute();
}

/** What happens to a store's active API keys when it gets a new one. */
type Turnover = {
  at: Date;
  /** Until when the newest of them lives on; null when it ends at once. */ until: Date | null;
};

/** Active keys with a changed end; `overlapping` is false for those that ended immediately. */
type ChangedApiKey = { hint: string; overlapping: boolean };

/** `at`, but never later than database time, by which admission judges keys. */
const moment = (at: Date) => sql`least(${at}::timestamptz, statement_timestamp())`;

/**
 * Makes room for a new key: the newest active one lasts until a time, unless it ends earlier, and all older ones end
 * immediately. So a store never has more than two.
 */
export async function endEarlierApiKeys(tx: Tx, storeId: bigint, { at, until }: Turnover): Promise<ChangedApiKey[]> {
  const { rows } = await sql<ChangedApiKey>`
    with live as (
      select id, row_number() over (order by id desc) = 1 as newest from api_keys
      where store_id = ${storeId} and expires_at > ${moment(at)}
    )
    update api_keys k set expires_at = least(k.expires_at,
      case when live.newest then coalesce(${until}::timestamptz, ${moment(at)}) else ${moment(at)} end)
    from live where k.id = live.id
    returning k.hint, live.newest and ${until}::timestamptz is not null as overlapping`.execute(tx);
  return rows;
}

/** Ends all active keys but the newest; returns their hints. */
export async function endOlderApiKeys(tx: Tx, storeId: bigint, at: Date): Promise<string[]> {
  const { rows } = await sql<{ hint: string }>`
    update api_keys set expires_at = ${moment(at)}
    where store_id = ${storeId} and expires_at > ${moment(at)}
      and id < (select max(id) from api_keys where store_id = ${storeId} and expires_at > ${moment(at)})
    returning hint`.execute(tx);
  return rows.map(({ hint }) => hint);
}

type SealedApiKey = { hash: Buffer; secretId: bigint; hint: string };

export async function readNewestApiKey(queries: Queries, storeId: bigint): Promise<SealedApiKey | undefined> {
  const row = await queries
    .selectFrom('api_keys')
    .select(['hash', 'secret_id', 'hint'])
    .where('store_id', '=', storeId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && { hash: row.hash, secretId: row.secret_id, hint: row.hint };
}

export type ListedApiKey = {
  hint: string;
  createdAt: Date;
  /** Null without an end. */
  endsAt: Date | null;
  days: { day: string; calls: number; lastUsedAt: string }[];
};

/** A store's newest API keys, including ended ones, with the last days of use. Every active key is among them. */
export async function listApiKeys(
  queries: Queries,
  storeId: bigint,
  { keys, days }: { keys: number; days: number },
): Promise<ListedApiKey[]> {
  const { rows } = await sql<ListedApiKey>`
    select k.hint, k.created_at as "createdAt", nullif(k.expires_at, 'infinity') as "endsAt", u.days
    from (select id, hint, created_at, expires_at from api_keys where store_id = ${storeId} order by id desc limit ${keys}) k
      cross join lateral (
        select coalesce(json_agg(json_build_object('day', d.day, 'calls', d.calls, 'lastUsedAt', d.last_used_at)
          order by d.day desc), '[]') as days
        from (select day, calls, last_used_at from api_key_days where key_id = k.id order by day desc limit ${days}) d) u
    order by k.id desc`.execute(queries);
  return rows;
}
