import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { unnestRows } from '../db/unnest-rows.ts';

export type ExchangePayment = {
  network: string;
  account: string;
  token: string;
  units: string;
  timeSeconds: number;
  /** Whether the platform still lists the row as a payment. */
  canonical: boolean;
  /** Whether the payment may still fail. */
  pending: boolean;
  invoiceId: bigint | null;
  /** Why the payment pays no invoice; null when it does, or is not matched yet. */
  reason: string | null;
};

/** Two are expected: one payment's `tx_id` may be another's `other_id`. */
const MAX_PAYMENTS = 10;

export async function findExchangePayments(
  queries: Queries,
  accounts: readonly { network: string; account: string }[],
  id: string,
): Promise<ExchangePayment[]> {
  const { rows } = await sql<ExchangePayment>`
    select t.network, t.to_address as account, t.token, t.units::text as units,
      extract(epoch from t.block_time)::float8 as "timeSeconds", t.canonical, t.block_hash = 'pending' as pending,
      t.invoice_id as "invoiceId", t.reason
    from ${unnestRows(accounts, 'a', {
      network: ['text', ({ network }) => network],
      account: ['text', ({ account }) => account],
    })} cross join lateral (
      select * from transfers where network = a.network and tx_id = ${id}
      union all
      select * from transfers where network = a.network and other_id = ${id} and tx_id <> ${id}) t
    where t.to_address = a.account
    order by t.id limit ${MAX_PAYMENTS}`.execute(queries);
  return rows;
}
