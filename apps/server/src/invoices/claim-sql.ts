import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { invoiceById } from './money-sql.ts';

/** Claims: transactions that customers submitted on the pages of their invoices. */

export type Claim = {
  transferId: bigint;
  transId: string;
  name: string | null;
  requestId: string | null;
  status: string;
  at: Date;
};

/** Claims listed per transfer, the first ones: hashes are public, so anyone with an open invoice can submit one. */
const MAX_CLAIMS = 20;

/** Invoice of claim `n` to transfer `t`, which must have reached one of the invoice's addresses. */
export const IS_CLAIM_OF_MONEY = sql`n.named_by = 'payer' and exists (select from quotes o
  where o.invoice_id = n.invoice_id and o.network = t.network and o.to_address = t.to_address)`;

/** Customers' claims to transfers, by invoices of these stores, the first ones first. */
export async function listClaims(
  queries: Queries,
  storeIds: readonly bigint[],
  transferIds: readonly bigint[],
): Promise<Claim[]> {
  if (transferIds.length === 0) return [];
  const { rows } = await sql<Claim>`
    select t.id as "transferId", i.trans_id as "transId", i.name, i.request_id as "requestId", i.status, n.named_at as at
    from unnest(${transferIds}::bigint[]) as a (id)
      cross join lateral (select t.id, t.network, t.tx_id, t.to_address from transfers t where t.id = a.id limit 1) t
      cross join lateral (select n.invoice_id, n.named_at from named_transactions n
        where n.network = t.network and n.tx_id = t.tx_id and n.store_id = any(${storeIds}::bigint[]) and ${IS_CLAIM_OF_MONEY}
        order by n.named_at, n.invoice_id limit ${MAX_CLAIMS}) n
      cross join lateral (${invoiceById(sql`n.invoice_id`)}) i
    order by t.id, n.named_at, i.id`.execute(queries);
  return rows;
}
