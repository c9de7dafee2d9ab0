import { USD_UNITS_PER_MICRO } from '@counterfoil/core/usd.ts';
import { raiseAlarms } from '../audit/raise-alarms.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import type { Failpoint } from '../lib/failpoint.ts';
import { Refusal } from '../lib/refusal.ts';
import { storeForTopups } from '../stores/store-for-topups.ts';
import type { TopupFault } from '../topups/topup.ts';
import type { UnopenedTopup } from '../topups/topup-sql.ts';
import { failTopup, linkTopup, listUnopened, placeTopup } from '../topups/topup-sql.ts';
import type { CreateInvoiceContext } from './create-invoice.ts';
import { createInvoice } from './create-invoice.ts';

type OpenContext = CreateInvoiceContext & { log: { error: CreateInvoiceContext['log']['warn'] }; failpoint: Failpoint };

const BATCH = 20;
/** A user who waited longer has left the page. */
const MAX_AGE_MS = 3_600_000;

/** Creates or finds the invoice of a top-up; returns a fault. */
async function openTopup(context: OpenContext, actor: Actor, topup: UnopenedTopup): Promise<TopupFault | undefined> {
  const { database, clock, failpoint } = context;
  if (clock.nowMs() - topup.createdAt.getTime() > MAX_AGE_MS) return 'too-late';
  const storeId = await placeTopup(database.queries, topup.id);
  const store = storeId === undefined ? undefined : await storeForTopups(context, storeId);
  if (!store) return 'not-set-up';
  await failpoint('topup:placed');
  try {
    await createInvoice(context, actor, {
      store,
      requestId: topup.code,
      amount: { currency: null, units: topup.microUsd * USD_UNITS_PER_MICRO },
      name: 'Top-up',
      description: `Balance of ${topup.merchantId}`,
      callbackUrl: null,
      completedUrl: topup.returnUrl,
      expiredUrl: topup.returnUrl,
      lifetimeMinutes: null,
      metadata: null,
      methods: null,
    });
  } catch (cause) {
    if (cause instanceof Refusal && cause.code === 'NO_PAYMENT_METHOD') return 'no-payment-method';
    throw cause;
  }
  await failpoint('topup:created');
  return (await linkTopup(database.queries, topup.id)) ? undefined : 'request-id-taken';
}

/** Fails a top-up and notifies the operator. If its invoice is still paid, it is credited. */
async function giveUp(context: OpenContext, topup: UnopenedTopup, fault: TopupFault): Promise<void> {
  const at = new Date(context.clock.nowMs());
  await inTransaction(context.database, async (tx) => {
    const storeId = await failTopup(tx, topup.id, fault, at);
    if (storeId === undefined) return;
    const details = { topup: topup.code, fault };
    await raiseAlarms(tx, at, [{ kind: 'topup-failed', subject: `store:${storeId}`, details }]);
  });
}

/**
 * Creates the invoices of requested top-ups; returns whether there may be more. Several workers may try the same one:
 * the request_id is the top-up's code, so there is only one invoice. A failing top-up delays no other.
 */
export async function openTopupInvoices(context: OpenContext, actor: Actor): Promise<boolean> {
  const waiting = await listUnopened(context.database.queries, BATCH);
  let opened = 0;
  for (const topup of waiting) {
    try {
      const fault = await openTopup(context, actor, topup);
      if (fault) await giveUp(context, topup, fault);
      opened += 1;
    } catch (cause) {
      context.log.error({ err: cause, topup: topup.code }, 'the invoice of a top-up could not be made');
    }
  }
  return waiting.length === BATCH && opened > 0;
}
