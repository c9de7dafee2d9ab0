import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Failpoint } from '../lib/failpoint.ts';
import { cancelUnderLock } from './cancel-invoice.ts';
import { deleteCancelRequest, listCancelRequests, lockCancelRequest } from './cancellation-sql.ts';

const BATCH = 50;

/**
 * Performs requests to cancel; returns whether there may be more. A request is deleted in the transaction that decides
 * it. One that a rule forbids leaves no trace: the requester reads the invoice's state instead.
 */
export async function performCancels({
  database,
  clock,
  failpoint,
}: Context & { failpoint: Failpoint }): Promise<boolean> {
  const requests = await listCancelRequests(database.queries, BATCH);
  for (const { invoiceId, requestedBy } of requests) {
    await failpoint('cancel:found');
    await inTransaction(database, async (tx) => {
      if (!(await lockCancelRequest(tx, invoiceId))) return;
      await cancelUnderLock(tx, clock, invoiceId, requestedBy);
      await deleteCancelRequest(tx, invoiceId);
      await failpoint('cancel:in-commit');
    });
    await failpoint('cancel:after-commit');
  }
  return requests.length === BATCH;
}
