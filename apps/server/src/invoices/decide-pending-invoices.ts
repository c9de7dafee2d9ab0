import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { readPayments } from './change-invoice-sql.ts';
import { changeInvoices } from './change-invoices.ts';
import { decideInvoice, hasStanding } from './invoice-status.ts';
import type { PendingInvoice } from './pending-sql.ts';
import { forgetPending, lockPending, readExpiredPending, readProcessing } from './pending-sql.ts';

/**
 * Decides, in rounds, invoices that wait for a payment to settle and that no other commit has decided: the payment was
 * judged while its network was frozen, coverage passed it while it was being attached or found, or it was taken away. A
 * round looks at a bounded number of invoices, writes only where facts have changed, and goes on where the last round
 * ended: many invoices may wait for a frozen network for days.
 */

/** The most invoices of each kind (processing, expired) in one round. */
const ROUND = 500;
/** The most invoices in one commit. */
const BATCH = 200;
/** No invoice expires in these rounds: expiry reads coverage first, in a loop of its own. */
const NOTHING_COVERED: ReadonlySet<bigint> = new Set();

type PendingOptions = { round?: number; batch?: number; failpoint?: (name: string) => void | Promise<void> };

/** Creates a function that makes one round at each call, and returns how many invoices it decided. */
export function createDecidePendingInvoices(
  database: Database,
  clock: Clock,
  { round = ROUND, batch = BATCH, failpoint = () => {} }: PendingOptions = {},
): () => Promise<number> {
  const position = { processing: 0n, expired: 0n };
  const advance = (found: readonly PendingInvoice[]) => (found.length < round ? 0n : (found.at(-1)?.id ?? 0n));
  return async () => {
    const processing = await readProcessing(database.queries, position.processing, round);
    const expired = await readExpiredPending(database.queries, position.expired, round);
    position.processing = advance(processing);
    position.expired = advance(expired);
    const due = await findDue(database, [...processing, ...expired]);
    if (due.length > 0) await failpoint('pending:found');
    let decided = 0;
    for (let start = 0; start < due.length; start += batch) {
      decided += await decideBatch(database, clock, due.slice(start, start + batch), failpoint);
    }
    return decided;
  };
}

/**
 * Finds invoices that would get another status now, and invoices that no longer need their row in `expired_pending`.
 * Nothing is locked yet.
 */
async function findDue(database: Database, invoices: readonly PendingInvoice[]): Promise<bigint[]> {
  if (invoices.length === 0) return [];
  const ids = invoices.map(({ id }) => id);
  const payments = Map.groupBy(await readPayments(database.queries, ids), ({ invoiceId }) => invoiceId);
  const isDue = ({ id, status }: PendingInvoice) => {
    const own = payments.get(id) ?? [];
    const decision = decideInvoice({ status, payments: own, covered: false });
    return decision.status !== status || status === 'completed' || (status === 'expired' && !hasStanding(own));
  };
  return invoices.filter(isDue).map(({ id }) => id);
}

async function decideBatch(
  database: Database,
  clock: Clock,
  due: readonly bigint[],
  failpoint: (name: string) => void | Promise<void>,
): Promise<number> {
  return inTransaction(database, async (tx) => {
    const ids = await lockPending(tx, due);
    // Rows of `expired_pending` are deleted before the decision, because the decision inserts the row of an invoice
    // again if its facts have changed back meanwhile.
    await forgetPending(tx, ids);
    await changeInvoices(tx, new Date(clock.nowMs()), ids, NOTHING_COVERED);
    await failpoint('pending:in-commit');
    return ids.length;
  });
}
