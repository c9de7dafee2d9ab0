import { SANDBOX_PREFIX } from '@counterfoil/core/network-id.ts';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import { INVOICE_OF_MONEY } from './money-sql.ts';
import type { CandidateQuote } from './suggest-invoices.ts';

/** Lists of unmatched transfers, newest first, with possible quotes. */

type UnmatchedChoice = {
  merchantAccountId: bigint;
  /** The stores whose addresses are read. */
  storeIds: readonly bigint[];
  /** Whether to list dismissed transfers, or all others. */
  dismissed: boolean;
};

type UnmatchedPage = { before?: bigint | undefined; looked: number; limit: number };

export type ListedTransfer = {
  id: bigint;
  network: string;
  txId: string;
  index: string;
  token: string;
  to: string;
  from: string;
  units: string;
  blockTime: Date;
  reason: string;
  namedBy: string | null;
  quoteId: bigint | null;
  /** The invoice that the transfer was meant for, or for which it was late or a second payment. */
  transId: string | null;
  invoiceStatus: string | null;
  note: string | null;
  /** The invoice of an undecided attachment request. */
  askedFor: string | null;
};

const MOST_NUMBER = 2n ** 63n - 1n;
/** Fewest transfers read per address, however many addresses there are. */
const LEAST_PER_ADDRESS = 13;

/**
 * Lists transfers to the stores' addresses, except those meant for another store's invoice: stores may share an
 * address. Reads the newest of each address by index; if that ends before the page is full, the caller continues from
 * `lookedTo`.
 */
export async function listUnmatched(
  queries: Queries,
  { merchantAccountId, storeIds, dismissed }: UnmatchedChoice,
  { before = MOST_NUMBER, looked, limit }: UnmatchedPage,
): Promise<{ transfers: ListedTransfer[]; lookedTo: bigint | null }> {
  const perAddress = sql`(select greatest(${LEAST_PER_ADDRESS}::integer, ${looked}::integer / greatest(1, count(*))) from places)`;
  const { rows } = await sql<ListedTransfer & { id: bigint | null; lookedTo: bigint | null }>`
    with places as materialized (
      select distinct network, address from wallets
      where store_id = any(${storeIds}::bigint[]) and not starts_with(network, ${SANDBOX_PREFIX})
    ), read as materialized (
      select t.*, row_number() over (partition by t.network, t.to_address order by t.id desc) as place
      from places w cross join lateral (
        select t.* from transfers t
        where t.network = w.network and t.to_address = w.address and t.reason is not null and t.id < ${before}::bigint
        order by t.id desc limit ${perAddress}) t
    ), edge as materialized (
      select greatest((select max(id) from read where place = ${perAddress}),
        (select id from read order by id desc offset ${looked - 1} limit 1)) as id
    )
    select f.*, edge.id as "lookedTo" from edge left join lateral (
      select t.id, t.network, t.tx_id as "txId", t.index, t.token, t.to_address as "to", t.from_address as "from", t.units,
        t.block_time as "blockTime", t.reason, t.named_by as "namedBy", t.quote_id as "quoteId", i.trans_id as "transId",
        i.status as "invoiceStatus", x.note,
        (select o.trans_id from attachments a join invoices o on o.id = a.invoice_id
          where a.transfer_id = t.id and a.state = 'asked' and o.store_id = any(${storeIds}::bigint[])) as "askedFor"
      from (select * from read where edge.id is null or id >= edge.id order by id desc) t
        left join dismissed_transfers x on x.merchant_account_id = ${merchantAccountId} and x.transfer_id = t.id
        ${INVOICE_OF_MONEY}
      where t.canonical and (x.transfer_id is not null) = ${dismissed}::boolean
        and (i.id is null or i.store_id = any(${storeIds}::bigint[]))
      order by t.id desc limit ${limit}) f on true
    order by f.id desc`.execute(queries);
  return {
    transfers: rows.flatMap(({ lookedTo: _edge, ...row }) => (row.id === null ? [] : [row])),
    lookedTo: rows[0]?.lookedTo ?? null,
  };
}

export type SoughtAmount = {
  transferId: bigint;
  network: string;
  token: string;
  address: string;
  displayUnits: bigint;
  /** The quote that the transfer is marked with, if any. */
  quoteId: bigint | null;
  at: Date;
};

/** Amounts of an address, open or past, compared on each side of a transfer. */
const MAX_COMPARED = 200;
const PER_SIDE = 3;
/** How long before the transfer its quote may have been created. */
const QUOTED_WITHIN_DAYS = 7;
const SKEW_SECONDS = 120;

const FIELDS = sql`i.trans_id as "transId", s.merchant_id as "merchantId", i.name, i.request_id as "requestId", i.status, i.amount_usd as "amountUsd", q.token,
  q.display_units as "displayUnits", q.held_from as "heldFrom", q.held_to as "heldTo"`;

/**
 * Quotes of unpaid invoices that a transfer may have been meant for: the marked one, and those with the nearest amounts
 * on each side, quoted within a week before.
 */
export async function findCandidates(
  queries: Queries,
  storeIds: readonly bigint[],
  sought: readonly SoughtAmount[],
): Promise<(CandidateQuote & { transferId: bigint })[]> {
  if (sought.length === 0) return [];
  const ofStores = sql`join invoices i on i.id = q.invoice_id and i.status <> 'completed' and i.store_id = any(${storeIds}::bigint[])
    join stores s on s.id = i.store_id`;
  const nearest = (isOnSide: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`(
    select ${FIELDS}, q.id is not distinct from t.quote_id as marked
    from (select q.* from quotes q
      where q.network = t.network and q.token = t.token and q.to_address = t.address and ${isOnSide}
      order by ${order} limit ${MAX_COMPARED}) q ${ofStores}
    where q.held_from <= t.at + make_interval(secs => ${SKEW_SECONDS}::integer)
      and q.created_at > t.at - make_interval(days => ${QUOTED_WITHIN_DAYS}::integer)
    order by ${order} limit ${PER_SIDE})`;
  const { rows } = await sql<CandidateQuote & { transferId: bigint }>`
    select t.transfer_id as "transferId", c.*
    from ${unnestRows(sought, 't', {
      transfer_id: ['bigint', (one) => one.transferId],
      network: ['text', (one) => one.network],
      token: ['text', (one) => one.token],
      address: ['text', (one) => one.address],
      display_units: ['bigint', (one) => one.displayUnits],
      quote_id: ['bigint', (one) => one.quoteId],
      at: ['timestamptz', (one) => one.at],
    })} cross join lateral (
      (select ${FIELDS}, true as marked from quotes q ${ofStores} where q.id = t.quote_id)
      union ${nearest(sql`q.display_units >= t.display_units`, sql`q.display_units`)}
      union ${nearest(sql`q.display_units < t.display_units`, sql`q.display_units desc`)}) c`.execute(queries);
  return rows;
}
