import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { changeInvoices } from './change-invoices.ts';
import { findThawed, forgetFrozen, lockThawed } from './frozen-decision-store.ts';

/**
 * Decides invoices again that a frozen network kept from being decided. However the network thawed (its payment came back,
 * an operator unfroze it or took it up again), the commit that thaws it stays small: this works off what is due in
 * batches, each of which forgets what it decided, so a process that is killed goes on where it was.
 */

const BATCH = 200;
/** Nothing expires here: expiry reads coverage first, in a loop of its own. */
const NOTHING_COVERED: ReadonlySet<bigint> = new Set();

export type ThawOptions = { batch?: number; failpoint?: (name: string) => void | Promise<void> };

/** One batch; returns how many were decided. */
export async function decideThawedInvoices(
  database: Database,
  clock: Clock,
  { batch = BATCH, failpoint = () => {} }: ThawOptions = {},
): Promise<number> {
  const due = await findThawed(database.queries, batch);
  if (due.length === 0) return 0;
  await failpoint('thaw:found');
  const decided = await inTransaction(database, async (tx) => {
    const ids = await lockThawed(tx, due);
    const locked = new Set(ids);
    // Before deciding: should the network have been frozen again meanwhile, the decision is remembered anew.
    await forgetFrozen(
      tx,
      due.filter(({ invoiceId }) => locked.has(invoiceId)),
    );
    await changeInvoices(tx, new Date(clock.nowMs()), ids, NOTHING_COVERED);
    await failpoint('thaw:in-commit');
    return ids.length;
  });
  await failpoint('thaw:after-commit');
  return decided;
}
