import type { SoughtAmount } from '@counterfoil/core/search.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import { INVOICE, MONEY, moneyById, NO_EVENT, NO_MONEY } from './search-sql.ts';
import { INVOICE_OF_MONEY, invoiceById } from './money-sql.ts';
import type { SearchResult } from './search.ts';

/**
 * Searches that have no index of their own, among the newest rows of each store or address: an index on titles or
 * amounts would be written for every invoice, and few people search for old ones this way.
 */

/** Newest invoices read, over all stores, and fewest per store. */
const INVOICES_LOOKED_AT = 5_000;
const LEAST_PER_STORE = 25;
/** Newest unmatched transfers read, over all addresses, and fewest per address. */
const TRANSFERS_LOOKED_AT = 1_000;
const LEAST_PER_ADDRESS = 13;
/** Most addresses of a merchant in a search by amount. */
const MAX_WALLETS = 2_000;

type RecentAsk = { words: readonly string[]; amount: SoughtAmount | undefined; limit: number };

/** Newest invoices whose title or order contains every word, or whose amount begins with the typed digits. */
export async function searchRecent(
  queries: Queries,
  storeIds: readonly bigint[],
  { words, amount, limit }: RecentAsk,
): Promise<SearchResult[]> {
  if (storeIds.length === 0) return [];
  const each = Math.max(LEAST_PER_STORE, Math.ceil(INVOICES_LOOKED_AT / storeIds.length));
  const isAmount = amount
    ? sql`(n.amount_usd >= ${amount.from}::numeric and n.amount_usd < ${amount.below}::numeric)`
    : sql`false`;
  const { rows } = await sql<SearchResult>`
    with newest as materialized (
      select n.id, n.name, n.request_id, n.amount_usd from unnest(${storeIds}::bigint[]) as s (id) cross join lateral (
        select i.id, i.name, i.request_id, i.amount_usd from invoices i where i.store_id = s.id order by i.id desc limit ${each}) n
    ), found as materialized (
      select n.id, ${isAmount} as by_amount from newest n
      where ${isAmount} or not exists (select from unnest(${words}::text[]) as w (word)
        where strpos(lower(concat_ws(' ', n.name, n.request_id)), w.word) = 0)
      order by n.id desc limit ${limit}
    )
    select case when f.by_amount then 'amount' else 'words' end as matched, ${INVOICE}, ${NO_EVENT}, ${NO_MONEY}, i.created_at as at
    from found f cross join lateral (${invoiceById(sql`f.id`)}) i order by i.id desc`.execute(queries);
  return rows;
}

/** A range of base units of a token on a network. */
export type SoughtUnits = { network: string; token: string; from: bigint; below: bigint };

/** Newest unmatched transfers to the stores whose amount begins with the typed digits. */
export async function searchUnmatchedAmounts(
  queries: Queries,
  storeIds: readonly bigint[],
  { merchantAccountId, units, limit }: { merchantAccountId: bigint; units: readonly SoughtUnits[]; limit: number },
): Promise<SearchResult[]> {
  if (units.length === 0) return [];
  const { rows } = await sql<SearchResult>`
    with places as materialized (
      select distinct w.network, w.address from wallets w
      where w.merchant_account_id = ${merchantAccountId} and w.store_id = any(${storeIds}::bigint[]) limit ${MAX_WALLETS}
    ), read as materialized (
      select t.id, t.network, t.token, t.units from places w cross join lateral (
        select t.id, t.network, t.token, t.units from transfers t
        where t.network = w.network and t.to_address = w.address and t.reason is not null order by t.id desc
        limit (select greatest(${LEAST_PER_ADDRESS}::integer, ${TRANSFERS_LOOKED_AT}::integer / greatest(1, count(*))) from places)) t
    ), found as materialized (
      select r.id from read r join ${unnestRows(units, 'u', {
        network: ['text', (one) => one.network],
        token: ['text', (one) => one.token],
        from_units: ['numeric', (one) => String(one.from)],
        below_units: ['numeric', (one) => String(one.below)],
      })} on u.network = r.network and u.token = r.token and r.units >= u.from_units and r.units < u.below_units
      order by r.id desc limit ${limit}
    )
    select 'amount' as matched, ${MONEY} from found f cross join lateral (${moneyById(sql`f.id`)}) t ${INVOICE_OF_MONEY}
    where i.id is null or i.store_id = any(${storeIds}::bigint[]) order by t.id desc`.execute(queries);
  return rows.filter(({ transferId }) => transferId !== null);
}
