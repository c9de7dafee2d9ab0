import { SANDBOX_PREFIX } from '@counterfoil/core/network-id.ts';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { INVOICE_OF_MONEY, invoiceById } from './money-sql.ts';
import type { SearchResult } from './search.ts';

export const INVOICE = sql`i.trans_id as "transId", i.store_id as "storeId", i.status, i.request_id as "requestId", i.name`;
export const NO_EVENT = sql`null::text as "eventId"`;
export const NO_MONEY = sql`null::text as network, null::text as "txId", null::text as token, null::numeric as units,
  null::bigint as "transferId"`;

export async function searchByCode(
  queries: Queries,
  storeIds: readonly bigint[],
  transId: string,
): Promise<SearchResult[]> {
  const { rows } = await sql<SearchResult>`
    select 'trans_id' as matched, ${INVOICE}, ${NO_EVENT}, ${NO_MONEY}, i.created_at as at
    from invoices i where i.trans_id = ${transId} and i.store_id = any(${storeIds}::bigint[])`.execute(queries);
  return rows;
}

/** Rows with a common beginning read before the stores are compared. */
const MAX_SHARED = 100;

/** Invoices whose code begins so. In most collations texts with the same prefix are adjacent, so a bounded read finds them. */
export async function searchByCodePrefix(
  queries: Queries,
  storeIds: readonly bigint[],
  { prefix, limit }: { prefix: string; limit: number },
): Promise<SearchResult[]> {
  const { rows } = await sql<SearchResult>`
    select 'trans_id_start' as matched, ${INVOICE}, ${NO_EVENT}, ${NO_MONEY}, i.created_at as at
    from (select i.id, i.trans_id from invoices i where i.trans_id >= ${prefix} order by i.trans_id limit ${MAX_SHARED}) f
      cross join lateral (${invoiceById(sql`f.id`)}) i
    where starts_with(f.trans_id, ${prefix}) and i.store_id = any(${storeIds}::bigint[])
    order by i.id desc limit ${limit}`.execute(queries);
  return rows;
}

/** Transfers to the stores whose transaction id begins so. */
export async function searchByHashPrefix(
  queries: Queries,
  storeIds: readonly bigint[],
  { networks, prefixes, limit }: { networks: readonly string[]; prefixes: readonly string[]; limit: number },
): Promise<SearchResult[]> {
  const { rows } = await sql<SearchResult>`
    with arrived as materialized (
      select t.id from unnest(${networks}::text[]) as n (network) cross join unnest(${prefixes}::text[]) as p (prefix)
        cross join lateral (select t.id, t.tx_id from transfers t where t.network = n.network and t.tx_id >= p.prefix
          order by t.tx_id limit ${MAX_SHARED}) t
      where starts_with(t.tx_id, p.prefix)
    )
    select 'transaction_start' as matched, ${MONEY}
    from arrived a cross join lateral (${moneyById(sql`a.id`)}) t ${INVOICE_OF_MONEY}
    where exists (select from wallets w
        where w.network = t.network and w.address = t.to_address and w.store_id = any(${storeIds}::bigint[]))
      and (i.id is null or i.store_id = any(${storeIds}::bigint[]))
    order by t.id desc limit ${limit}`.execute(queries);
  return rows;
}

export async function searchByEvent(
  queries: Queries,
  storeIds: readonly bigint[],
  eventId: string,
): Promise<SearchResult[]> {
  const { rows } = await sql<SearchResult>`
    select 'event' as matched, i.trans_id as "transId", e.store_id as "storeId", i.status, i.request_id as "requestId", i.name,
      e.event_id as "eventId", ${NO_MONEY}, e.created_at as at
    from events e left join lateral (${invoiceById(sql`e.invoice_id`)}) i on true
    where e.event_id = ${eventId} and e.store_id = any(${storeIds}::bigint[])`.execute(queries);
  return rows;
}

/** Columns of a transfer `t`. Its invoice is shown only if it belongs to the given stores. */
export const MONEY = sql`${INVOICE}, ${NO_EVENT}, t.network, t.tx_id as "txId", t.token, t.units,
  case when t.reason is not null and t.canonical and not starts_with(t.network, ${SANDBOX_PREFIX}) then t.id end as "transferId",
  t.block_time as at`;
export const moneyById = (id: RawBuilder<unknown>) => sql`
  select t.id, t.network, t.tx_id, t.token, t.units, t.block_time, t.to_address, t.quote_id, t.invoice_id,
    t.reason, t.canonical from transfers t
  where t.id = ${id} limit 1`;

type TransactionAsk = { networks: readonly string[]; txIds: readonly string[]; limit: number };

/** Transfers of a transaction by either id, and invoices for which it was submitted. */
export async function searchByTransaction(
  queries: Queries,
  storeIds: readonly bigint[],
  { networks, txIds, limit }: TransactionAsk,
): Promise<SearchResult[]> {
  const { rows } = await sql<SearchResult>`
    with arrived as materialized (
      (select t.id from transfers t where t.network = any(${networks}::text[]) and t.tx_id = any(${txIds}::text[]) limit ${limit})
      union
      (select t.id from transfers t where t.network = any(${networks}::text[]) and t.other_id = any(${txIds}::text[]) limit ${limit})
    )
    (select 'transaction' as matched, ${MONEY}
    from arrived a cross join lateral (${moneyById(sql`a.id`)}) t ${INVOICE_OF_MONEY}
    where exists (select from wallets w
        where w.network = t.network and w.address = t.to_address and w.store_id = any(${storeIds}::bigint[]))
      and (i.id is null or i.store_id = any(${storeIds}::bigint[])))
    union all
    (select 'named_transaction', ${INVOICE}, ${NO_EVENT}, n.network, n.tx_id, null, null, null, n.named_at
    from named_transactions n cross join lateral (${invoiceById(sql`n.invoice_id`)}) i
    where n.network = any(${networks}::text[]) and n.tx_id = any(${txIds}::text[]) and n.store_id = any(${storeIds}::bigint[])
    limit ${limit})`.execute(queries);
  return rows;
}

type AddressAsk = { merchantAccountId: bigint; addresses: readonly string[]; limit: number };

/** Most addresses of a merchant in a search by sender. */
const MAX_WALLETS = 2_000;

/** The newest transfers from an address to the stores. */
export async function searchBySender(
  queries: Queries,
  storeIds: readonly bigint[],
  { merchantAccountId, addresses, limit }: AddressAsk,
): Promise<SearchResult[]> {
  const { rows } = await sql<SearchResult>`
    with newest as materialized (
      select t.id from (select distinct w.address from wallets w
          where w.merchant_account_id = ${merchantAccountId} and w.store_id = any(${storeIds}::bigint[]) limit ${MAX_WALLETS}) w
        cross join unnest(${addresses}::text[]) as a (address)
        cross join lateral (select t.id from transfers t where t.from_address = a.address and t.to_address = w.address
          order by t.id desc limit ${limit}) t
      order by t.id desc limit ${limit}
    )
    select 'sender' as matched, ${MONEY} from newest n cross join lateral (${moneyById(sql`n.id`)}) t ${INVOICE_OF_MONEY}
    where i.id is null or i.store_id = any(${storeIds}::bigint[]) order by t.id desc`.execute(queries);
  return rows;
}

/** The newest transfers to an address of the stores. */
export async function searchByReceiver(
  queries: Queries,
  storeIds: readonly bigint[],
  { merchantAccountId, addresses, limit }: AddressAsk,
): Promise<SearchResult[]> {
  const { rows } = await sql<SearchResult>`
    with newest as materialized (
      select t.id from (select distinct w.network, w.address from wallets w
          where w.merchant_account_id = ${merchantAccountId} and w.address = any(${addresses}::text[])
            and w.store_id = any(${storeIds}::bigint[]) limit ${MAX_WALLETS}) w
        cross join lateral (select t.id, t.block_time from transfers t where t.network = w.network and t.to_address = w.address
          order by t.height desc limit ${limit}) t
      order by t.block_time desc limit ${limit}
    )
    select 'receiver' as matched, ${MONEY} from newest n cross join lateral (${moneyById(sql`n.id`)}) t ${INVOICE_OF_MONEY}
    where i.id is null or i.store_id = any(${storeIds}::bigint[]) order by t.block_time desc`.execute(queries);
  return rows;
}

/** Most request_ids in a prefix search: with many more the planner sorts the whole store. */
const MAX_STARTS = 100;

/** Invoices by order id: exact, then by prefix. */
export async function searchByRequestId(
  queries: Queries,
  storeIds: readonly bigint[],
  { text, limit }: { text: string; limit: number },
): Promise<SearchResult[]> {
  const each = Math.max(limit, Math.ceil(MAX_STARTS / Math.max(1, storeIds.length)));
  // In most collations texts with the same prefix are adjacent, so a bounded read finds them.
  const { rows } = await sql<SearchResult>`
    select case when i.request_id = ${text} then 'request_id' else 'request_id_start' end as matched, ${INVOICE}, ${NO_EVENT},
      ${NO_MONEY}, i.created_at as at
    from unnest(${storeIds}::bigint[]) as s (id) cross join lateral (
        select i.id from (select i.id, i.request_id from invoices i
          where i.store_id = s.id and i.request_id >= ${text} order by i.request_id limit ${each}) i
        where starts_with(i.request_id, ${text}) limit ${limit}) f
      cross join lateral (${invoiceById(sql`f.id`)}) i
    order by i.request_id <> ${text}, i.id desc limit ${limit}`.execute(queries);
  return rows;
}
