import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';

/** What arrived, against who owned the amount when it arrived. */

export type ArrivedTransfer = {
  id: bigint;
  token: string;
  to: string;
  units: bigint;
  blockTime: Date;
  invoiceId: bigint | null;
};

export async function readArrived(tx: Tx, ids: readonly bigint[]): Promise<ArrivedTransfer[]> {
  const { rows } = await sql<Omit<ArrivedTransfer, 'units'> & { units: string }>`
    select id, token, to_address as "to", units, block_time as "blockTime", invoice_id as "invoiceId"
    from transfers where id = any(${ids}::bigint[])`.execute(tx);
  return rows.map((row) => ({
    id: row.id,
    token: row.token,
    to: row.to,
    units: BigInt(row.units),
    blockTime: row.blockTime,
    invoiceId: row.invoiceId,
  }));
}

export type Candidate = {
  id: bigint;
  token: string;
  to: string;
  /** Rounded down to the digits that quotes have. */
  displayUnits: bigint;
  /** Nothing was lost by that. */
  exact: boolean;
  blockTime: Date;
};

const columns = (candidates: readonly Candidate[]) => sql`unnest(
  ${candidates.map((one) => one.id)}::bigint[], ${candidates.map((one) => one.token)}::text[], ${candidates.map((one) => one.to)}::text[],
  ${candidates.map((one) => one.displayUnits)}::bigint[], ${candidates.map((one) => one.exact)}::boolean[],
  ${candidates.map((one) => one.blockTime)}::timestamptz[])
  as t (id, token, address, display_units, exact, block_time)`;

/** Attaches each transfer to the quote that owned its exact amount at its block time; returns the invoices. */
export async function matchExactly(
  tx: Tx,
  network: string,
  candidates: readonly Candidate[],
  skewSeconds: number,
): Promise<bigint[]> {
  if (candidates.length === 0) return [];
  const { rows } = await sql<{ invoiceId: bigint }>`
    with owned as (
      select distinct on (t.id) t.id, q.id as quote_id, q.invoice_id
      from ${columns(candidates)} join quotes q on q.network = ${network} and q.token = t.token and q.to_address = t.address
        and q.display_units = t.display_units and t.block_time < q.held_to
        and t.block_time >= q.held_from - make_interval(secs => ${skewSeconds})
      order by t.id, q.held_from <= t.block_time desc, q.held_from desc
    )
    update transfers set quote_id = o.quote_id, invoice_id = o.invoice_id, reason = null from owned o
    where transfers.id = o.id and transfers.invoice_id is null
    returning transfers.invoice_id as "invoiceId"`.execute(tx);
  return [...new Set(rows.map((row) => row.invoiceId))];
}

/**
 * Says of transfers that match no amount what they look like beside the quotes that were open at their address: short of
 * the next amount above or over the next one below, whichever is nearer; the wrong token; or unknown.
 */
export async function explainUnmatched(tx: Tx, network: string, candidates: readonly Candidate[]): Promise<void> {
  if (candidates.length === 0) return;
  const open = sql`q.network = ${network} and q.to_address = t.address and q.held_from <= t.block_time and t.block_time < q.held_to`;
  await sql`
    update transfers set reason = d.reason from (
      select t.id, case
          when above.units is not null and (below.units is null or above.units - t.display_units <= t.display_units - below.units) then 'short'
          when below.units is not null then 'over'
          when exists (select from quotes q where ${open}) then 'wrong_token'
          else 'unknown' end as reason
      from ${columns(candidates)}
        left join lateral (select q.display_units as units from quotes q where ${open} and q.token = t.token
          and q.display_units > t.display_units order by q.display_units limit 1) above on true
        left join lateral (select q.display_units as units from quotes q where ${open} and q.token = t.token
          and q.display_units < t.display_units + case when t.exact then 0 else 1 end
          order by q.display_units desc limit 1) below on true
    ) d where transfers.id = d.id and transfers.invoice_id is null`.execute(tx);
}

/** Invoices that these transfers are attached to. */
export async function readInvoiceIds(tx: Tx, transferIds: readonly bigint[]): Promise<bigint[]> {
  const { rows } = await sql<{ invoiceId: bigint }>`
    select distinct invoice_id as "invoiceId" from transfers
    where id = any(${transferIds}::bigint[]) and invoice_id is not null order by 1`.execute(tx);
  return rows.map((row) => row.invoiceId);
}
