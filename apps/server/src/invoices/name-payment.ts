import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { recordChanges } from './change-feed-sql.ts';
import type { NewRequest } from './named-transaction-sql.ts';
import { insertBoundedRequest } from './named-transaction-sql.ts';

/** Most submitted transactions per invoice, whose page is public, and most waiting requests per store. */
export const PAYER_LIMITS = { ofInvoice: 10, waitingOfStore: 200 };

/**
 * Stores a payer's transaction as a claim, which a worker reads; decides nothing. False when submitted before, or at a
 * limit.
 */
export async function namePayment(
  { database }: Pick<Context, 'database'>,
  _actor: Actor,
  request: NewRequest,
): Promise<boolean> {
  return inTransaction(database, async (tx) => {
    const isNew = await insertBoundedRequest(tx, 'payer', request, PAYER_LIMITS);
    if (isNew) await recordChanges(tx, [request.invoiceId]);
    return isNew;
  });
}
