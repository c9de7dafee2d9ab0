import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

type ShownBalance = {
  availableMicroUsd: bigint;
  overdraftMicroUsd: bigint;
  heldMicroUsd: bigint;
  /** Open invoices behind the held sum. */
  openInvoices: number;
  lowBalanceMicroUsd: bigint | null;
};

/** A store's balance. The held sum is over the newest open invoices, at most `maxInvoices`. */
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
  /** Null for operators' credits and debits. */
  topup: string | null;
};

/** Credits and debits, newest first; fees are not listed individually. */
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
