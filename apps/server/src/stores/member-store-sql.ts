import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Beholder } from '../people/beholder.ts';
import { REACHED } from '../people/membership-sql.ts';

/** Stores as members see them. */

type MemberStore = {
  id: bigint;
  merchantAccountId: bigint;
  merchantId: string;
  shard: string;
  live: boolean;
  role: string;
};

/** Whether member `m` may see store `s`: all of the merchant's, or listed ones. */
const SEES = sql`(m.all_stores or exists (select from membership_stores l
  where l.merchant_account_id = m.merchant_account_id and l.person_id = m.person_id and l.store_id = s.id))`;

/** Whether a store is this merchant's and visible to one of `reached` (rows as REACHED and BELONGS have them). */
export const IS_SEEN = (
  reached: RawBuilder<unknown>,
  merchantAccountId: bigint,
  storeId: RawBuilder<unknown>,
) => sql`exists (
  select from ${reached} m join stores s on s.merchant_account_id = m.merchant_account_id
  where m.merchant_account_id = ${merchantAccountId} and s.id = ${storeId} and ${SEES})`;

export async function findStoreOfMember(
  queries: Queries,
  beholder: Beholder,
  { merchantCode, merchantId }: { merchantCode: string; merchantId: string },
): Promise<MemberStore | undefined> {
  const { rows } = await sql<MemberStore>`
    select s.id, s.merchant_account_id as "merchantAccountId", s.merchant_id as "merchantId", s.shard, s.live, m.role
    from stores s join merchants a on a.id = s.merchant_account_id and a.code = ${merchantCode}
      join ${REACHED(beholder)} m on m.merchant_account_id = a.id
    where s.merchant_id = ${merchantId} and ${SEES} order by m.place limit 1`.execute(queries);
  return rows[0];
}

type ListedStore = {
  id: bigint;
  merchantId: string;
  name: string;
  live: boolean;
  active: boolean;
  keyHint: string | null;
};

export async function listStoresOfMember(
  queries: Queries,
  beholder: Beholder,
  { merchantAccountId, limit }: { merchantAccountId: bigint; limit: number },
): Promise<ListedStore[]> {
  const { rows } = await sql<ListedStore>`
    select distinct s.name, s.id, s.merchant_id as "merchantId", s.live, s.active,
      (select k.hint from api_keys k where k.store_id = s.id order by k.id desc limit 1) as "keyHint"
    from ${REACHED(beholder)} m join stores s on s.merchant_account_id = m.merchant_account_id
    where m.merchant_account_id = ${merchantAccountId} and ${SEES}
    order by s.name, s.id limit ${limit}`.execute(queries);
  return rows;
}

export type VisibleStore = { id: bigint; merchantId: string; live: boolean };

type VisibleAsk = {
  merchantAccountId: bigint;
  /** One store's code; undefined for all. */
  merchantId?: string | undefined;
  /** Live or test stores; undefined for both. */
  live?: boolean | undefined;
  /** Stores to keep where there are more than `limit`. */
  first?: readonly string[];
  limit: number;
};

export async function listVisibleStores(
  queries: Queries,
  beholder: Beholder,
  { merchantAccountId, merchantId, live, first = [], limit }: VisibleAsk,
): Promise<VisibleStore[]> {
  const named = merchantId === undefined ? sql`` : sql`and s.merchant_id = ${merchantId}`;
  const ofMode = live === undefined ? sql`` : sql`and s.live = ${live}`;
  const { rows } = await sql<VisibleStore>`
    select s.id, s.merchant_id as "merchantId", s.live from stores s
    where s.merchant_account_id = ${merchantAccountId} ${named} ${ofMode}
      and exists (select from ${REACHED(beholder)} m where m.merchant_account_id = s.merchant_account_id and ${SEES})
    order by s.merchant_id = any(${first}::text[]) desc, s.id limit ${limit}`.execute(queries);
  return rows;
}
