import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import type { Clock } from '../lib/clock.ts';
import { Refusal } from '../lib/refusal.ts';
import { cancelMoment, judgeCancel } from './cancellation.ts';
import { findInvoiceId, markCancelled, readCancelFacts } from './cancellation-sql.ts';
import { changeInvoices } from './change-invoices.ts';
import { lockInvoices } from './change-invoice-sql.ts';
import type { InvoiceStatus } from './invoice.ts';

/** No coverage is read: a cancelled invoice ends without it, and a payment in time that is found later completes it. */
const NOTHING_COVERED: ReadonlySet<bigint> = new Set();

/** The decision, and the status that followed. */
type Outcome = { verdict: ReturnType<typeof judgeCancel>; status: InvoiceStatus };

/**
 * Cancels an invoice unless a rule forbids it. The moment is read under the invoice's lock, which selections, readers
 * and expiry take too: none of them decides between the moment and the commit.
 */
export async function cancelUnderLock(tx: Tx, clock: Clock, id: bigint, by: string): Promise<Outcome> {
  await lockInvoices(tx, [id]);
  const facts = await readCancelFacts(tx, id);
  const verdict = judgeCancel(facts);
  if (verdict !== 'cancel') return { verdict, status: facts.status };
  const nowMs = clock.nowMs();
  await markCancelled(tx, id, cancelMoment(nowMs), by);
  await changeInvoices(tx, new Date(nowMs), [id], NOTHING_COVERED);
  return { verdict, status: 'expired' };
}

/** Cancels an invoice for an operator; a repeat changes nothing. */
export async function cancelInvoice(
  { database, clock }: Context,
  actor: Operator,
  { transId }: { transId: string },
): Promise<void> {
  await inTransaction(database, async (tx) => {
    const id = await findInvoiceId(tx, transId);
    if (id === undefined) throw new Refusal('INVOICE_UNKNOWN', { transId });
    const { verdict, status } = await cancelUnderLock(tx, clock, id, nameOfActor(actor));
    if (verdict === 'refuse') throw new Refusal('INVOICE_NOT_CANCELLABLE', { status });
    if (verdict === 'cancelled') return;
    await recordAudit(tx, clock, actor, {
      action: 'invoice.cancel',
      subject: `invoice:${transId}`,
      details: { transId },
    });
  });
}
