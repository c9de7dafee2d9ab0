import type { Context } from '../db/context.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { BURST_WINDOW_SECONDS, SUSTAINED_WINDOW_SECONDS } from '../stores/admission.ts';
import { admitStore } from '../stores/admission-sql.ts';
import type { CancellableInvoice } from './cancellation-sql.ts';
import { requestCancel } from './request-cancel.ts';
import { storeOfInvoice } from './store-of-invoice.ts';

type MemberCancelInput = { merchantCode: string; transId: string; maxWaitMs?: number };

/** Cancels an invoice for a member who may create invoices, at the rate of requests by API key. */
export async function cancelMemberInvoice(
  context: Context,
  actor: Person,
  { merchantCode, transId, ...waiting }: MemberCancelInput,
): Promise<CancellableInvoice> {
  const store = await storeOfInvoice(context, actor, { merchantCode, transId, permission: 'invoice.create' });
  const { rate } = await admitStore(context.database.queries, store.id, 'cancel');
  if (rate.exceeded) {
    const retryAfterSeconds = rate.exceeded === 'burst' ? BURST_WINDOW_SECONDS : SUSTAINED_WINDOW_SECONDS;
    throw new Refusal('TOO_BUSY', { retryAfterSeconds });
  }
  return requestCancel(context, actor, { store, transId, ...waiting });
}
