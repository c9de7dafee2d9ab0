import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { InvoiceFilter, ListedInvoice, Look, StoreProgress } from './invoice-list.ts';
import { needsQuote, scanOf } from './invoice-list.ts';
import { ARRIVED, CANCELLED } from './invoice-state-sql.ts';

/** Statements of invoice lists. Each is limited to given stores. */

/** Joins one quote by id. The limit keeps the planner from joining all, misled by row security. */
const quoteOf = (id: RawBuilder<unknown>) => sql`
  left join lateral (select q.network, q.token, q.token_amount from quotes q where q.id = ${id} limit 1) q on true`;

const SCANS = {
  all: sql``,
  open: sql`and i.status in ('waiting', 'processing')`,
  late: sql`and i.late`,
  failed: sql`and i.callback_status = 'failed'`,
};

function conditionsOf(filter: InvoiceFilter): RawBuilder<unknown> {
  const { status, networks, token, minAmount, maxAmount, createdFrom, createdTo, callbackFailed } = filter;
  const conditions: RawBuilder<unknown>[] = [sql`true`];
  if (status === 'late') conditions.push(sql`w.late`);
  else if (status !== undefined) conditions.push(sql`w.status = ${status}`);
  if (networks !== undefined) conditions.push(sql`q.network = any(${networks}::text[])`);
  if (token !== undefined) conditions.push(sql`q.token = ${token}`);
  if (minAmount !== undefined) conditions.push(sql`w.amount_usd >= ${minAmount}::numeric`);
  if (maxAmount !== undefined) conditions.push(sql`w.amount_usd <= ${maxAmount}::numeric`);
  if (createdFrom !== undefined) conditions.push(sql`w.created_at >= ${createdFrom}`);
  if (createdTo !== undefined) conditions.push(sql`w.created_at < ${createdTo}`);
  if (callbackFailed === true) conditions.push(sql`w.callback_status = 'failed'`);
  return sql.join(conditions, sql` and `);
}

type Reach = Pick<StoreProgress, 'storeId' | 'atLeast' | 'below'> & { most: number };

/** Reads the newest invoices of each store below an id; without a filter by an index-only scan. */
export async function lookAtInvoices(
  queries: Queries,
  stores: readonly Reach[],
  filter: InvoiceFilter,
  isOpenFilter: boolean,
): Promise<Look[]> {
  const columns = isOpenFilter
    ? sql`i.id`
    : sql`i.id, i.status, i.late, i.amount_usd, i.created_at, i.callback_status, i.quote_id`;
  const quote = needsQuote(filter) ? quoteOf(sql`w.quote_id`) : sql``;
  const { rows } = await sql<Omit<Look, 'matched'> & { matched: string[] }>`
    select s.id as "storeId", l.looked, l.highest, l.lowest, coalesce(l.matched, '{}') as matched
    from unnest(${stores.map(({ storeId }) => storeId)}::bigint[], ${stores.map(({ atLeast }) => atLeast)}::bigint[],
        ${stores.map(({ below }) => below)}::bigint[], ${stores.map(({ most }) => most)}::integer[]) as s (id, at_least, below, most)
      cross join lateral (
        select count(*)::integer as looked, max(w.id) as highest, min(w.id) as lowest,
          array_agg(w.id order by w.id desc) filter (where ${conditionsOf(filter)}) as matched
        from (
          select ${columns} from invoices i
          where i.store_id = s.id and i.id >= s.at_least and i.id < s.below ${SCANS[scanOf(filter)]}
          order by i.id desc limit s.most
        ) w ${quote}
      ) l`.execute(queries);
  // The driver returns elements of bigint arrays as text.
  return rows.map(({ storeId, looked, highest, lowest, matched }) => ({
    storeId,
    looked,
    highest,
    lowest,
    matched: matched.map(BigInt),
  }));
}

const MAX_HALVINGS = 64;

/** For each store, the least id of invoices created since a time, by binary search. */
export async function findFirstSince(
  queries: Queries,
  storeIds: readonly bigint[],
  at: Date,
): Promise<Map<bigint, bigint>> {
  const { rows } = await sql<{ storeId: bigint; first: bigint }>`
    select s.id as "storeId", f.first
    from unnest(${storeIds}::bigint[]) as s (id) cross join lateral (
      with recursive halved (low, high, halvings) as (
        (select coalesce((select i.id from invoices i where i.store_id = s.id order by i.id limit 1), 0),
          coalesce((select i.id + 1 from invoices i where i.store_id = s.id order by i.id desc limit 1), 0), 0)
        union all
        select case when n.created_at < ${at} then n.id + 1 else h.low end,
          case when n.created_at < ${at} then h.high else (h.low + h.high) / 2 end, h.halvings + 1
        from halved h left join lateral (
          select i.id, i.created_at from invoices i
          where i.store_id = s.id and i.id >= (h.low + h.high) / 2 and i.id < h.high order by i.id limit 1) n on true
        where h.low < h.high and h.halvings < ${MAX_HALVINGS}
      )
      select min(h.high) as first from halved h) f`.execute(queries);
  return new Map(rows.map(({ storeId, first }) => [storeId, first]));
}

/** Invoices by id, newest first, each with its shown quote. */
export async function readListedInvoices(queries: Queries, ids: readonly bigint[]): Promise<ListedInvoice[]> {
  const { rows } = await sql<ListedInvoice>`
    select i.id, i.trans_id as "transId", i.store_id as "storeId", i.request_id as "requestId", i.status, i.late,
      ${CANCELLED} as cancelled, ${ARRIVED} as arrived, i.amount_usd as "amountUsd", i.currency, i.currency_amount, i.exchange_rate, i.name, i.created_at as "createdAt", i.expires_at as "expiresAt", q.network, q.token,
      q.token_amount as "tokenAmount", i.transaction_hash as "transactionHash", i.callback_status as "callbackStatus"
    from invoices i ${quoteOf(sql`i.quote_id`)}
    where i.id = any(${ids}::bigint[]) order by i.id desc`.execute(queries);
  return rows;
}

export async function findListedId(
  queries: Queries,
  storeIds: readonly bigint[],
  transId: string,
): Promise<bigint | undefined> {
  const { rows } = await sql<{ id: bigint }>`
    select id from invoices where trans_id = ${transId} and store_id = any(${storeIds}::bigint[])`.execute(queries);
  return rows[0]?.id;
}

export async function readTransId(queries: Queries, id: bigint): Promise<string | undefined> {
  const { rows } = await sql<{ transId: string }>`
    select trans_id as "transId" from invoices where id = ${id}`.execute(queries);
  return rows[0]?.transId;
}
