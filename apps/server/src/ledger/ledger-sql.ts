import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

export async function openBalance(tx: Tx, storeId: bigint): Promise<void> {
  await tx.insertInto('balances').values({ store_id: storeId }).execute();
}

export async function readAvailable(queries: Queries, storeId: bigint): Promise<bigint> {
  const row = await queries
    .selectFrom('balances')
    .select('available_micro_usd')
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow();
  return row.available_micro_usd;
}

/**
 * Adds `microUsd` (may be negative) to the available balance and returns it. Incoming money shrinks the allowed
 * overdraft, so that a recovered balance cannot fall below zero again.
 */
export async function moveAvailable(tx: Tx, storeId: bigint, microUsd: bigint): Promise<bigint> {
  const { rows } = await sql<{ available: bigint }>`
    update balances set
      available_micro_usd = available_micro_usd + ${microUsd}::bigint,
      overdraft_micro_usd = least(overdraft_micro_usd, greatest(0, -(available_micro_usd + ${microUsd}::bigint)))
    where store_id = ${storeId}
    returning available_micro_usd as available`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`Store ${storeId} has no balance.`);
  return row.available;
}

type FundingEntry = {
  storeId: bigint;
  period: string;
  kind: 'credit' | 'debit';
  microUsd: bigint;
  note: string;
  at: Date;
};

export async function insertFundingEntry(tx: Tx, entry: FundingEntry): Promise<void> {
  const [from, to] = entry.kind === 'credit' ? ['funding', 'available'] : ['available', 'funding'];
  await tx
    .insertInto('ledger_entries')
    .values({
      period: entry.period,
      store_id: entry.storeId,
      kind: entry.kind,
      from_account: from,
      to_account: to,
      micro_usd: entry.microUsd,
      note: entry.note,
      at: entry.at,
    })
    .execute();
}

type LedgerFault = { storeId: bigint; fault: string };

/** Checks balances against entries, holds and captures against invoice status, and top-up credits against invoices. */
export async function findLedgerFaults(queries: Queries, limit: number): Promise<LedgerFault[]> {
  const { rows } = await sql<LedgerFault>`
    with sums as (
      select store_id,
        sum(case when to_account = 'available' then micro_usd when from_account = 'available' then -micro_usd else 0 end) as available
      from ledger_entries group by store_id
    ), booked as (
      select store_id, invoice_id, sum(case when to_account = 'held' then micro_usd else -micro_usd end) as held,
        sum(case when kind = 'capture' then micro_usd else 0 end) as captured
      from ledger_entries where kind in ('hold', 'capture', 'release') group by store_id, invoice_id
    ), due as (
      select store_id, id as invoice_id, case when status = 'completed' then 0 else fee_micro_usd end as held,
        case when status = 'completed' then fee_micro_usd else 0 end as captured
      from invoices where status in ('waiting', 'processing', 'completed') and fee_micro_usd > 0
    ), compared as (
      select store_id, invoice_id, coalesce(b.held, 0) as held, coalesce(d.held, 0) as held_due,
        coalesce(b.captured, 0) as captured, coalesce(d.captured, 0) as captured_due
      from booked b full join due d using (store_id, invoice_id)
    )
    select store_id as "storeId", 'available is ' || coalesce(b.available_micro_usd::text, 'missing')
        || ', entries say ' || coalesce(s.available, 0) as fault
      from balances b full join sums s using (store_id)
      where b.available_micro_usd is distinct from coalesce(s.available, 0)
    union all
    select store_id, 'invoice ' || invoice_id || ' holds ' || held || ', its state says ' || held_due
      from compared where held <> held_due
    union all
    select store_id, 'invoice ' || invoice_id || ' captured ' || captured || ', its state says ' || captured_due
      from compared where captured <> captured_due
    union all
    select coalesce(t.store_id, e.store_id), 'top-up of invoice ' || coalesce(i.id, e.invoice_id) || ' is credited with '
        || coalesce(e.micro_usd, 0) || ', its state says ' || coalesce(case when i.status = 'completed' then t.micro_usd end, 0)
      from topups t join invoices i on i.store_id = t.at_store_id and i.request_id = t.code and i.amount_usd * 1000000 = t.micro_usd
        full join (select store_id, invoice_id, sum(micro_usd) as micro_usd from ledger_entries where kind = 'topup'
          group by store_id, invoice_id) e on e.invoice_id = i.id and e.store_id = t.store_id
      where coalesce(e.micro_usd, 0) <> coalesce(case when i.status = 'completed' then t.micro_usd end, 0)
        or (t.credited_at is null) is distinct from (e.invoice_id is null)
    limit ${limit}`.execute(queries);
  return rows;
}
