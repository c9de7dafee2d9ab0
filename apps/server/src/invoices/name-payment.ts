import type { Context } from '../db/context.ts';
import type { Actor } from '../lib/actor.ts';
import type { NewRequest } from './named-transaction-sql.ts';
import { insertBoundedRequest } from './named-transaction-sql.ts';

/** Requests of one invoice by its payer, whose page anybody may have; and of a store, while they wait. */
export const PAYER_LIMITS = { ofInvoice: 10, waitingOfStore: 200 };

/**
 * A payer asks that the transaction which paid an invoice be read. The worker reads it; whoever names it decides nothing.
 * False when the payer named it before, or as many as one may.
 */
export async function namePayment(
  { database }: Pick<Context, 'database'>,
  _actor: Actor,
  request: NewRequest,
): Promise<boolean> {
  return insertBoundedRequest(database.queries, 'payer', request, PAYER_LIMITS);
}
