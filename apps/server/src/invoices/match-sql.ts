import { isSandboxId } from '@counterfoil/core/network-id.ts';
import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import type { Network } from '../networks/network.ts';
import { readUnits } from '../quotes/read-units.ts';
import { HAS_ENDPOINTS } from '../webhooks/subscription-sql.ts';
import { ofStoreOn, owningQuote } from '../transfers/owning-quote-sql.ts';
import type { UnmatchedTransfer } from './unmatched-transfer.ts';

/** Matches transfers with the quotes that owned their amounts when the transfers arrived. */

/**
 * Reads transfers that are attached to no invoice yet, without transfers that only a named transaction shows: a person
 * attaches these.
 */
export async function readUnattached(tx: Tx, network: Network, ids: readonly bigint[]): Promise<UnmatchedTransfer[]> {
  const { rows } = await sql<Omit<UnmatchedTransfer, 'displayUnits' | 'exact'> & { units: string }>`
    select id, token, to_address as "to", units, extract(epoch from block_time)::float8 as "blockTime",
      reference_keys as "references"
    from transfers where id = any(${ids}::bigint[]) and invoice_id is null and named_by is null`.execute(tx);
  return rows.map(({ units, ...transfer }) =>
    Object.assign(transfer, readUnits(network, transfer.token, BigInt(units))),
  );
}

/**
 * Transfers as rows of values, with every column that queries compare. If a query joined the stored transfers instead,
 * the query planner might begin with all quotes.
 */
export const transferRows = (transfers: readonly UnmatchedTransfer[]) => sql`(
  select id, token, address, display_units, exact, to_timestamp(time) as block_time
  from ${unnestRows(transfers, 'c', {
    id: ['bigint', (one) => one.id],
    token: ['text', (one) => one.token],
    address: ['text', (one) => one.to],
    display_units: ['bigint', (one) => one.displayUnits],
    exact: ['boolean', (one) => one.exact],
    time: ['float8', (one) => one.blockTime],
  })}) t`;

type NamingTransfer = { id: bigint; meantFor: bigint | null };

/**
 * Matches transfers that name a quote of their address by its reference. The exact amount pays the named quote; a
 * transfer with another amount or token is marked with the quote and a reason, and matches no other quote. Nobody knows
 * a reference before its quote, so a block time before the quote means that the chain's clock is behind. Returns all
 * transfers that name a quote, and the invoice of one that does not pay it, where its store has webhook endpoints.
 */
export async function matchByReference(
  tx: Tx,
  network: string,
  transfers: readonly UnmatchedTransfer[],
): Promise<NamingTransfer[]> {
  const keys = transfers.flatMap(({ id, references }) => (references ?? []).map((key) => ({ id, key })));
  if (keys.length === 0) return [];
  const { rows } = await sql<NamingTransfer>`
    with named as (
      select distinct on (t.id) t.id, q.id as quote_id, q.invoice_id, case
          when q.token <> t.token then 'wrong_token'
          when t.display_units < q.display_units then 'short'
          when t.display_units > q.display_units or not t.exact then 'over' end as reason
      from ${transferRows(transfers)}
        join ${unnestRows(keys, 'k', { id: ['bigint', ({ id }) => id], key: ['text', ({ key }) => key] })} on k.id = t.id
        join quotes q on q.reference = k.key and q.network = ${network} and q.to_address = t.address and t.block_time < q.held_to
      order by t.id, q.id
    ), payable as materialized (
      select q.* from named q where ${ofStoreOn(network)}
    )
    update transfers set quote_id = n.quote_id, invoice_id = case when n.reason is null then n.invoice_id end, reason = n.reason,
      explained = true
    from payable n where transfers.id = n.id and transfers.invoice_id is null
    returning transfers.id, (select i.id from invoices i where i.id = n.invoice_id and n.reason is not null and ${HAS_ENDPOINTS})
      as "meantFor"`.execute(tx);
  return rows;
}

/**
 * Prefers, in the sandbox only, the quote of the invoice that the test payer meant. Everywhere else, quotes with the same
 * amount are held one after the other; in the sandbox, time that passes for one invoice may move its quote into the time
 * of an earlier quote.
 */
const meantFirst = (network: string) =>
  isSandboxId(network)
    ? sql`q.invoice_id = (
        select x.invoice_id from transfers f join sandbox_transfers x on x.tx_id = f.tx_id and x.network = f.network
        where f.id = t.id) desc nulls last, `
    : sql``;

/**
 * Attaches each transfer to the quote that owned its exact amount at its block time; returns the attached transfers.
 */
export async function matchExactly(
  tx: Tx,
  network: string,
  transfers: readonly UnmatchedTransfer[],
): Promise<bigint[]> {
  if (transfers.length === 0) return [];
  const { rows } = await sql<{ id: bigint }>`
    with owned as materialized (
      select t.id, o.quote_id, o.invoice_id
      from ${transferRows(transfers)} cross join lateral ${owningQuote(network, meantFirst(network))} o
    )
    update transfers set quote_id = o.quote_id, invoice_id = o.invoice_id, reason = null, explained = true from owned o
    where transfers.id = o.id and transfers.invoice_id is null
    returning transfers.id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Marks transfers that match no quote as waiting to be explained. */
export async function leaveUnexplained(tx: Tx, ids: readonly bigint[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`update transfers set explained = false where id = any(${ids}::bigint[]) and invoice_id is null`.execute(tx);
}

/** Invoices that the given transfers are attached to. */
export async function readInvoiceIds(tx: Tx, transferIds: readonly bigint[]): Promise<bigint[]> {
  const { rows } = await sql<{ invoiceId: bigint }>`
    select distinct invoice_id as "invoiceId" from transfers
    where id = any(${transferIds}::bigint[]) and invoice_id is not null order by 1`.execute(tx);
  return rows.map((row) => row.invoiceId);
}
