import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { changeInvoices } from './change-invoices.ts';
import { lockProcessing, readProcessing } from './unpaid-store.ts';

/**
 * The net below every commit that takes a payment away: an invoice that is processing without a payment that stands is
 * decided again, so it waits and expires like any other. Each round goes through a bounded part of those that are processing
 * and the next one goes on from there; many of them wait for a frozen network for days.
 */

const ROUND = 200;
/** Nothing expires here: expiry reads coverage first. */
const NOTHING_COVERED: ReadonlySet<bigint> = new Set();

/** A round of it, to be called again and again; returns how many were decided. */
export function createReopenUnpaid(database: Database, clock: Clock, limit = ROUND): () => Promise<number> {
  let after = 0n;
  return async () => {
    const processing = await readProcessing(database.queries, after, limit);
    after = processing.length < limit ? 0n : (processing.at(-1)?.id ?? 0n);
    const unpaid = processing.filter((invoice) => invoice.unpaid).map(({ id }) => id);
    if (unpaid.length === 0) return 0;
    return inTransaction(database, async (tx) => {
      const ids = await lockProcessing(tx, unpaid);
      await changeInvoices(tx, new Date(clock.nowMs()), ids, NOTHING_COVERED);
      return ids.length;
    });
  };
}
