import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { steadyClock } from '../lib/clock.ts';
import { sleep } from '../lib/loop.ts';
import { Refusal } from '../lib/refusal.ts';
import { judgeCancel } from './cancellation.ts';
import type { CancellableInvoice } from './cancellation-sql.ts';
import { findCancellable, insertCancelRequest } from './cancellation-sql.ts';

/** Longest wait for a worker. */
const MAX_WAIT_MS = 10 * SECOND_MS;
const FIRST_POLL_MS = 20;
const MAX_POLL_MS = 200;

type CancelInput = { store: StoreRef; transId: string; maxWaitMs?: number };

/** Leaves the request, with an audit entry if a person made it. */
async function leaveRequest({ database, clock }: Context, actor: Actor, store: StoreRef, invoice: CancellableInvoice) {
  const request = {
    invoiceId: invoice.id,
    storeId: store.id,
    requestedBy: nameOfActor(actor),
    at: new Date(clock.nowMs()),
  };
  if (actor.kind !== 'person') {
    await insertCancelRequest(database.queries, request);
    return;
  }
  const { transId } = invoice;
  await inTransaction(database, async (tx) => {
    if (!(await insertCancelRequest(tx, request))) return;
    await recordAudit(tx, clock, actor, {
      action: 'invoice.cancel',
      subject: `invoice:${transId}`,
      details: { transId },
    });
  });
}

/**
 * Requests that an invoice be cancelled, and waits until a worker has decided: only a worker ends invoices, so the
 * processes that face the internet need no rights to move money or to send events. An invoice that is not cancelled yet
 * after the wait is returned as it is. Repeating a request is safe.
 */
export async function requestCancel(
  context: Context,
  actor: Actor,
  { store, transId, maxWaitMs = MAX_WAIT_MS }: CancelInput,
): Promise<CancellableInvoice> {
  const untilMs = steadyClock.nowMs() + maxWaitMs;
  let left = false;
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, MAX_POLL_MS)) {
    const invoice = await findCancellable(context.database.queries, store.id, transId);
    if (!invoice) throw new Refusal('INVOICE_UNKNOWN', { transId });
    const verdict = judgeCancel(invoice);
    if (verdict === 'cancelled') return invoice;
    if (verdict === 'refuse' || (left && !invoice.requested))
      throw new Refusal('INVOICE_NOT_CANCELLABLE', { status: invoice.status });
    if (left && steadyClock.nowMs() >= untilMs) return invoice;
    if (!left) await leaveRequest(context, actor, store, invoice);
    left = true;
    await sleep(pollMs, new AbortController().signal);
  }
}
