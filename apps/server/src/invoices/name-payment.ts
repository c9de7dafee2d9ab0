import type { Context } from '../db/context.ts';
import type { Actor } from '../lib/actor.ts';
import type { NewRequest } from './named-transaction-sql.ts';
import { insertBoundedRequest } from './named-transaction-sql.ts';

/** Most submitted transactions per invoice, whose page is public, and most waiting requests per store. */
export const PAYER_LIMITS = { ofInvoice: 10, waitingOfStore: 200 };

/** Requests a read of a payer's transaction; decides nothing. False when submitted before, or at a limit. */
export async function namePayment(
  { database }: Pick<Context, 'database'>,
  _actor: Actor,
  request: NewRequest,
): Promise<boolean> {
  return insertBoundedRequest(database.queries, 'payer', request, PAYER_LIMITS);
}
