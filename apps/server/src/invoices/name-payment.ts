import type { Context } from '../db/context.ts';
import type { Actor } from '../lib/actor.ts';
import type { NewRequest } from './named-transaction-sql.ts';
import { insertBoundedRequest } from './named-transaction-sql.ts';

/**
 * The most transactions that payers may name for one invoice, whose page anybody may open, and the most requests of a
 * store that may wait.
 */
export const PAYER_LIMITS = { ofInvoice: 10, waitingOfStore: 200 };

/**
 * Requests, for a payer, that a worker read the transaction that paid an invoice; the request alone decides nothing.
 * Returns false when the transaction was named before, or a limit is reached.
 */
export async function namePayment(
  { database }: Pick<Context, 'database'>,
  _actor: Actor,
  request: NewRequest,
): Promise<boolean> {
  return insertBoundedRequest(database.queries, 'payer', request, PAYER_LIMITS);
}
