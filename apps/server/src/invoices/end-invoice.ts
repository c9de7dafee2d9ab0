import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { changeInvoices } from './change-invoices.ts';
import { markAccepted } from './doubted-transfer-sql.ts';
import type { EndFacts, StandingPayment } from './end-invoice-sql.ts';
import { readEndFacts } from './end-invoice-sql.ts';
import { lowerGates, readAllGates } from './expire-due-invoices.ts';
import type { Gate } from './expiry-sql.ts';
import { passGates } from './expiry-sql.ts';
import { lockInvoices } from './change-invoice-sql.ts';
import { lockReader } from './lock-reader.ts';

/** Ends an invoice whose payment is on a retired network or removed exchange account: reads can no longer decide it. */

export type EndOutcome = 'completed' | 'expired';
type EndInput = { transId: string; outcome: EndOutcome; reason: string };

/** Why an invoice may not be ended with this outcome, if so. */
export function refuseEnd(facts: EndFacts | undefined, outcome: EndOutcome): Refusal | undefined {
  if (!facts) return new Refusal('INVOICE_UNKNOWN', {});
  if (facts.status === 'completed') return new Refusal('INVOICE_PAID');
  if (facts.payments.length === 0) return new Refusal('INVOICE_WITHOUT_PAYMENT');
  if (!facts.payments.some(({ retired }) => retired)) return new Refusal('INVOICE_ENDS_BY_ITSELF');
  if (outcome === 'completed') return undefined;
  if (facts.status === 'expired') return new Refusal('INVOICE_EXPIRED');
  if (facts.payments.some(({ retired }) => !retired)) return new Refusal('INVOICE_PAID_ELSEWHERE');
  return undefined;
}

export async function endInvoice({ database, clock }: Context, actor: Actor, input: EndInput): Promise<void> {
  const { transId, outcome, reason } = input;
  const at = new Date(clock.nowMs());
  const before = await readEndFacts(database.queries, transId);
  const gates = await readAllGates(database.queries, before ? [before.id] : [], at);
  await inTransaction(database, async (tx) => {
    const { facts, payment } = await lockEndFacts(tx, before, input);
    if (outcome === 'completed') await markAccepted(tx, payment.transferId, nameOfActor(actor));
    else await requireCovered(tx, facts.id, gates, at);
    const expired = new Set(outcome === 'expired' ? [facts.id] : []);
    const { network, txId, index } = payment;
    await changeInvoices(tx, at, [facts.id], expired, expired);
    const after = await readEndFacts(tx, transId);
    if (after?.status !== outcome) throw new Refusal('INVOICE_NOT_ENDED', { outcome, status: String(after?.status) });
    await recordAudit(tx, clock, actor, {
      action: 'invoice.end',
      subject: `invoice:${transId}`,
      details: { transId, outcome, reason, network, txId, index },
    });
  });
}

/** Locks the chain or account of the payment, then the invoice, and reads facts and payment again. */
async function lockEndFacts(
  tx: Tx,
  before: EndFacts | undefined,
  { transId, outcome }: EndInput,
): Promise<{ facts: EndFacts; payment: StandingPayment }> {
  const refusal = refuseEnd(before, outcome);
  const named = before?.payments.find(({ retired }) => retired);
  if (refusal || !before || !named) throw refusal ?? new Refusal('INVOICE_CHANGED');
  await lockReader(tx, named);
  await lockInvoices(tx, [before.id]);
  const facts = await readEndFacts(tx, transId);
  const payment = facts?.payments.find(({ transferId }) => transferId === named.transferId);
  const changed = refuseEnd(facts, outcome);
  if (changed || !facts || !payment) throw changed ?? new Refusal('INVOICE_CHANGED');
  return { facts, payment };
}

/** Requires coverage past the invoice's end, as any expiry does. Retired networks count as covered. */
async function requireCovered(tx: Tx, id: bigint, gates: readonly Gate[], at: Date): Promise<void> {
  const covered = await passGates(tx, [id], lowerGates(gates, await readAllGates(tx, [id], at)));
  if (covered.length === 0) throw new Refusal('INVOICE_NOT_COVERED');
}
