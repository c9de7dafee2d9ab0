import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';

/**
 * Ledger bookings of ended invoices: fees are captured, released or held again in batches, and top-ups credited. One
 * statement writes entries, another moves balances.
 */

export type Hold = {
  storeId: bigint;
  invoiceId: bigint;
  holdNumber: number;
  /** The month in which the hold was opened; its end is filed under the same month. */
  period: string;
  microUsd: bigint;
};

/** A top-up credited to a store; its invoice belongs to another store. */
type TopupCredit = Omit<Hold, 'holdNumber'>;

export type Bookings = {
  /** Holds whose payment settled after their release: only these may take a balance below zero. */
  lateHolds: readonly Hold[];
  /** Captured fees. They change no balance, so that committing a block does not delay the creation of invoices. */
  captures: readonly Hold[];
  releases: readonly Hold[];
  topups: readonly TopupCredit[];
};

const ACCOUNTS = {
  hold: { from: 'available', to: 'held' },
  capture: { from: 'held', to: 'revenue' },
  release: { from: 'held', to: 'available' },
  topup: { from: 'funding', to: 'available' },
} as const;

type Entry = TopupCredit & { kind: keyof typeof ACCOUNTS; holdNumber: number | null };

async function insertEntries(tx: Tx, entries: readonly Entry[], at: Date): Promise<void> {
  await sql`
    insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
    select period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, ${at}
    from ${unnestRows(entries, 'e', {
      period: ['date', (entry) => entry.period],
      store_id: ['bigint', (entry) => entry.storeId],
      kind: ['text', (entry) => entry.kind],
      from_account: ['text', (entry) => ACCOUNTS[entry.kind].from],
      to_account: ['text', (entry) => ACCOUNTS[entry.kind].to],
      micro_usd: ['bigint', (entry) => entry.microUsd],
      invoice_id: ['bigint', (entry) => entry.invoiceId],
      hold_number: ['smallint', (entry) => entry.holdNumber],
    })}`.execute(tx);
}

/**
 * Moves balances in the order of store ids, to avoid deadlocks with the same statement and invoice creation. Incoming
 * money lowers the overdraft to what is still needed; only a late hold raises it.
 */
async function moveBalances(tx: Tx, incoming: readonly Entry[], late: readonly Entry[]): Promise<void> {
  await sql`
    with moved as (
      select b.store_id, m.incoming, m.incoming - m.late as change
      from (select store_id, sum(incoming)::bigint as incoming, sum(late)::bigint as late
          from ${unnestRows([...incoming, ...late], 'e', {
            store_id: ['bigint', (entry) => entry.storeId],
            incoming: ['bigint', (entry) => (entry.kind === 'hold' ? 0n : entry.microUsd)],
            late: ['bigint', (entry) => (entry.kind === 'hold' ? entry.microUsd : 0n)],
          })}
          group by store_id) m join balances b on b.store_id = m.store_id
      order by b.store_id for update of b
    )
    update balances b set available_micro_usd = b.available_micro_usd + m.change,
      overdraft_micro_usd = greatest(0, -(b.available_micro_usd + m.change),
        case when m.incoming = 0 then b.overdraft_micro_usd end)
    from moved m where b.store_id = m.store_id`.execute(tx);
}

const entriesOf = (kind: Entry['kind'], rows: readonly (TopupCredit & { holdNumber?: number })[]): Entry[] =>
  rows.filter(({ microUsd }) => microUsd > 0n).map((row) => Object.assign({ holdNumber: null }, row, { kind }));

/** Books ended invoices. Called last in a transaction: a store's balance row must be locked only briefly. */
export async function bookEntries(tx: Tx, bookings: Bookings, at: Date): Promise<void> {
  const late = entriesOf('hold', bookings.lateHolds);
  const incoming = [...entriesOf('release', bookings.releases), ...entriesOf('topup', bookings.topups)];
  const entries = [...late, ...entriesOf('capture', bookings.captures), ...incoming];
  if (entries.length > 0) await insertEntries(tx, entries, at);
  if (late.length + incoming.length > 0) await moveBalances(tx, incoming, late);
}
