import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

export type RecheckedQuote = { network: string; token: string; toAddress: string; createdAt: Date; closesAt: Date };

type RecheckedInvoice = { storeId: bigint; quotes: RecheckedQuote[] };

/** Where and until when an invoice could be paid, including grace. */
export async function readForRecheck(queries: Queries, transId: string): Promise<RecheckedInvoice | undefined> {
  const { rows } = await sql<RecheckedQuote & { storeId: bigint; network: string | null }>`
    select i.store_id as "storeId", q.network, q.token, q.to_address as "toAddress", q.created_at as "createdAt",
      i.expires_at + make_interval(mins => s.grace_minutes) as "closesAt"
    from invoices i join stores s on s.id = i.store_id left join quotes q on q.invoice_id = i.id
    where i.trans_id = ${transId} order by q.id`.execute(queries);
  const [first] = rows;
  if (!first) return undefined;
  return { storeId: first.storeId, quotes: rows.filter(({ network }) => network !== null) };
}
