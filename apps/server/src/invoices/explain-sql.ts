import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import { ofStoreOn } from '../transfers/owning-quote-sql.ts';
import { HAS_ENDPOINTS } from '../webhooks/subscription-sql.ts';
import { transferRows } from './match-sql.ts';
import type { Neighbour, UnmatchedExplanation, UnmatchedTransfer } from './unmatched-transfer.ts';
import { NEAR_PERCENT } from './unmatched-transfer.ts';

/** Queries on transfers that match no amount, and the quotes that they are compared with. */

export type Unexplained = { network: string; id: bigint };

/** Unexplained transfers, at most `limit` per network. */
export async function findUnexplained(
  queries: Queries,
  networks: readonly string[],
  limit: number,
): Promise<Unexplained[]> {
  const { rows } = await sql<Unexplained>`
    select n.network, t.id from unnest(${networks}::text[]) n (network) cross join lateral (
      select id from transfers t where t.network = n.network and not t.explained order by id limit ${limit}) t`.execute(
    queries,
  );
  return rows;
}

/** Locks unexplained transfers, skipping those that are locked elsewhere. */
export async function lockUnexplained(tx: Tx, ids: readonly bigint[]): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select id from transfers where id = any(${ids}::bigint[]) and not explained order by id for update skip locked`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

/** Amounts of an address, open or past, compared on each side of a transfer. */
const MAX_COMPARED = 2_000;
/** The second quote on each side shows whether the first is the only one nearby. */
const NEIGHBOURS = 2;

/** Whether quote `q` could be paid when transfer `t` arrived. */
const isOpen = (network: string, skewSeconds: number) => sql`
  t.block_time >= date_trunc('second', q.held_from) - make_interval(secs => ${skewSeconds}) and t.block_time < q.held_to
  and ${ofStoreOn(network)}`;

type NeighbourRow = Neighbour & { transferId: bigint; side: 'above' | 'below' };

/**
 * For each transfer, the two open quotes above and below its amount, at the same address and token. A quote of exactly
 * the rounded-down amount counts as below. Ended quotes are in between, so the search stops after MAX_COMPARED on each
 * side: a stranger's transfer must not cost a long search.
 */
export async function findNeighbours(
  tx: Tx,
  network: string,
  transfers: readonly UnmatchedTransfer[],
  skewSeconds: number,
): Promise<NeighbourRow[]> {
  const nearest = (side: string, isOnSide: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`(
    select ${side} as side, q.id, q.display_units from (
      select q.id, q.invoice_id, q.display_units, q.held_from, q.held_to from quotes q
      where q.network = ${network} and q.token = t.token and q.to_address = t.address and ${isOnSide}
      order by ${order} limit ${MAX_COMPARED}) q
    where ${isOpen(network, skewSeconds)} order by ${order} limit ${NEIGHBOURS})`;
  const isBelow = sql`q.display_units < t.display_units + case when t.exact then 0 else 1 end`;
  const { rows } = await sql<NeighbourRow>`
    select t.id as "transferId", n.side, n.id as "quoteId", n.display_units as "displayUnits"
    from ${transferRows(transfers)} cross join lateral (
      ${nearest('above', sql`q.display_units > t.display_units`, sql`q.display_units`)}
      union all ${nearest('below', isBelow, sql`q.display_units desc`)}) n`.execute(tx);
  return rows;
}

/** Transfers at whose address a quote in any of `tokens` was open; one index lookup per token. */
export async function findOpenAtAddress(
  tx: Tx,
  network: string,
  tokens: readonly string[],
  transfers: readonly UnmatchedTransfer[],
  skewSeconds: number,
): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select t.id from ${transferRows(transfers)}
    where exists (select from unnest(${tokens}::text[]) as o (token) cross join lateral (
        select q.invoice_id, q.held_from, q.held_to from quotes q
        where q.network = ${network} and q.token = o.token and q.to_address = t.address
        order by q.display_units limit ${MAX_COMPARED}) q
      where ${isOpen(network, skewSeconds)})`.execute(tx);
  return rows.map((row) => row.id);
}

/** Most quotes whose customers are asked about a transfer. */
const MAX_ASKED = 200;

/**
 * Notes each transfer at the open quotes near its amount, whose customers are asked whether it was theirs. Returns their
 * invoices. Quotes that are locked are about to end and are skipped: waiting for them could deadlock.
 */
export async function noteNear(
  tx: Tx,
  network: string,
  transfers: readonly UnmatchedTransfer[],
  skewSeconds: number,
): Promise<bigint[]> {
  if (transfers.length === 0) return [];
  const { rows } = await sql<{ invoiceId: bigint }>`
    with near as materialized (
      select n.id as quote_id, max(t.id) as transfer_id from ${transferRows(transfers)} cross join lateral (
        select q.id from (
          select s.quote_id from amount_slots s
          where s.network = ${network} and s.token = t.token and s.address = t.address and s.held_until > t.block_time
            and s.display_units between t.display_units * 100 / (100 + ${NEAR_PERCENT}::bigint)
              and t.display_units * 100 / (100 - ${NEAR_PERCENT}::bigint) + 1
          order by s.display_units limit ${MAX_COMPARED}) s
        join quotes q on q.id = s.quote_id
        where abs(q.display_units - t.display_units) * 100 <= q.display_units * ${NEAR_PERCENT}::bigint
          and ${isOpen(network, skewSeconds)}
        order by abs(q.display_units - t.display_units) limit ${MAX_ASKED}) n
      group by n.id
    ), free as materialized (
      select q.id from quotes q where q.id = any(array(select quote_id from near)) order by q.id for update skip locked
    )
    update quotes q set near_transfer_id = n.transfer_id from near n join free f on f.id = n.quote_id
    where q.id = n.quote_id returning q.invoice_id as "invoiceId"`.execute(tx);
  return [...new Set(rows.map(({ invoiceId }) => invoiceId))];
}

export type ExplainedTransfer = UnmatchedExplanation & { transferId: bigint };

export type MarkedTransfer = {
  transferId: bigint;
  invoiceId: bigint;
  /** Of the invoice's store. */ hasEndpoints: boolean;
};

/**
 * Saves why transfers match no quote. One that was meant for a quote is marked with it: it pays nothing, but the payer
 * can be informed. Returns the transfers that were meant for a quote.
 */
export async function saveExplanations(tx: Tx, explained: readonly ExplainedTransfer[]): Promise<MarkedTransfer[]> {
  if (explained.length === 0) return [];
  const { rows } = await sql<MarkedTransfer>`
    with marked as (
      update transfers set reason = e.reason, quote_id = e.quote_id, explained = true
      from ${unnestRows(explained, 'e', {
        id: ['bigint', (one) => one.transferId],
        reason: ['text', (one) => one.reason],
        quote_id: ['bigint', (one) => one.quoteId],
      })}
      where transfers.id = e.id and transfers.invoice_id is null
      returning transfers.id, transfers.quote_id
    )
    select m.id as "transferId", i.id as "invoiceId", ${HAS_ENDPOINTS} as "hasEndpoints"
    from marked m join quotes q on q.id = m.quote_id join invoices i on i.id = q.invoice_id`.execute(tx);
  return rows;
}

export async function endExplaining(tx: Tx, ids: readonly bigint[]): Promise<void> {
  await sql`
    update transfers set explained = true, reason = case when invoice_id is null then coalesce(reason, 'unknown') else reason end
    where id = any(${ids}::bigint[])`.execute(tx);
}
