import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/** Statements that show the balance of a store to its members. */

type ShownBalance = {
  availableMicroUsd: bigint;
  overdraftMicroUsd: bigint;
  heldMicroUsd: bigint;
  /** How many open invoices were looked at for what is held. */
  openInvoices: number;
  lowBalanceMicroUsd: bigint | null;
};

/** The balance of a store. What is held is summed over its newest open invoices, `maxInvoices` at most. */
export async function readBalance(queries: Queries, storeId: bigint, maxInvoices: number): Promise<ShownBalance> {
  const { rows } = await sql<ShownBalance>`
    select b.available_micro_usd as "availableMicroUsd", b.overdraft_micro_usd as "overdraftMicroUsd",
      h.held as "heldMicroUsd", h.invoices as "openInvoices", s.low_balance_micro_usd as "lowBalanceMicroUsd"
    from balances b join stores s on s.id = b.store_id,
      (select coalesce(sum(fee_micro_usd), 0)::bigint as held, count(*)::integer as invoices from (
        select fee_micro_usd from invoices where store_id = ${storeId} and status in ('waiting', 'processing')
        order by id desc limit ${maxInvoices}) i) h
    where b.store_id = ${storeId}`.execute(queries);
  const [balance] = rows;
  if (!balance) throw new Error(`Store ${storeId} has no balance.`);
  return balance;
}

export type StatementRow = {
  id: bigint;
  kind: 'credit' | 'debit' | 'topup';
  microUsd: bigint;
  note: string | null;
  at: Date;
  /** The code of the top-up; null for what an operator credited or debited. */
  topup: string | null;
};

/** What came into a balance and what was taken back, the newest first; fees are not listed one by one. */
export async function listStatement(
  queries: Queries,
  storeId: bigint,
  { before, limit }: { before: bigint | undefined; limit: number },
): Promise<StatementRow[]> {
  const { rows } = await sql<StatementRow>`
    select e.id, e.kind, e.micro_usd as "microUsd", e.note, e.at,
      (select t.code from topups t where t.invoice_id = e.invoice_id) as topup
    from ledger_entries e
    where e.store_id = ${storeId} and e.kind in ('credit', 'debit', 'topup')
      ${before === undefined ? sql`` : sql`and e.id < ${before}`}
    order by e.id desc limit ${limit}`.execute(queries);
  return rows;
}
