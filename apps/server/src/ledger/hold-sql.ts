import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';

/**
 * SQL for holds of fees: many holds are captured, released or opened together. Balances are updated in the order of
 * store ids, so that two writers cannot deadlock.
 */

export type Hold = {
  storeId: bigint;
  invoiceId: bigint;
  holdNumber: number;
  /** The month in which the hold was opened; the end of the hold is filed under the same month. */
  period: string;
  microUsd: bigint;
};

type Movement = 'hold' | 'capture' | 'release';

const ACCOUNTS: Record<Movement, { from: string; to: string }> = {
  hold: { from: 'available', to: 'held' },
  capture: { from: 'held', to: 'revenue' },
  release: { from: 'held', to: 'available' },
};

async function insertEntries(tx: Tx, kind: Movement, holds: readonly Hold[], at: Date): Promise<void> {
  const { from, to } = ACCOUNTS[kind];
  await sql`
    insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
    select period, store_id, ${kind}, ${from}, ${to}, micro_usd, invoice_id, hold_number, ${at}
    from ${unnestRows(holds, 'h', {
      period: ['date', (hold) => hold.period],
      store_id: ['bigint', (hold) => hold.storeId],
      micro_usd: ['bigint', (hold) => hold.microUsd],
      invoice_id: ['bigint', (hold) => hold.invoiceId],
      hold_number: ['smallint', (hold) => hold.holdNumber],
    })}`.execute(tx);
}

/** Adds the amounts of holds to the available balances of their stores, or subtracts them when `sign` is -1. */
async function moveBalances(tx: Tx, holds: readonly Hold[], sign: 1 | -1): Promise<void> {
  await sql`
    with moved as (
      select b.store_id, m.micro_usd
      from (select store_id, ${sign}::bigint * sum(micro_usd)::bigint as micro_usd
          from ${unnestRows(holds, 'h', {
            store_id: ['bigint', (hold) => hold.storeId],
            micro_usd: ['bigint', (hold) => hold.microUsd],
          })}
          group by store_id) m join balances b on b.store_id = m.store_id
      order by b.store_id for update of b
    )
    update balances b set available_micro_usd = b.available_micro_usd + m.micro_usd,
      overdraft_micro_usd = greatest(0, case when m.micro_usd < 0
        then greatest(b.overdraft_micro_usd, -(b.available_micro_usd + m.micro_usd))
        else least(b.overdraft_micro_usd, -(b.available_micro_usd + m.micro_usd)) end)
    from moved m where b.store_id = m.store_id`.execute(tx);
}

function charged(holds: readonly Hold[]): Hold[] {
  return holds.filter((hold) => hold.microUsd > 0n);
}

/**
 * Captures holds: the fees are taken for good. No balance row is changed, so that the commit of a block's payments does
 * not delay the creation of invoices.
 */
export async function captureHolds(tx: Tx, holds: readonly Hold[], at: Date): Promise<void> {
  const due = charged(holds);
  if (due.length > 0) await insertEntries(tx, 'capture', due, at);
}

export async function releaseHolds(tx: Tx, holds: readonly Hold[], at: Date): Promise<void> {
  const due = charged(holds);
  if (due.length === 0) return;
  await insertEntries(tx, 'release', due, at);
  await moveBalances(tx, due, 1);
}

/**
 * Opens a new hold for a payment that settled after its hold was released: the only case that may take a balance below
 * zero.
 */
export async function openLateHolds(tx: Tx, holds: readonly Hold[], at: Date): Promise<void> {
  const due = charged(holds);
  if (due.length === 0) return;
  await insertEntries(tx, 'hold', due, at);
  await moveBalances(tx, due, -1);
}
