import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import { changeInvoices } from './change-invoices.ts';
import { markAccepted } from './doubted-transfer-store.ts';
import type { EndFacts, StandingPayment } from './end-invoice-store.ts';
import { readEndFacts } from './end-invoice-store.ts';
import { lowerGates, readAllGates } from './expire-due-invoices.ts';
import type { Gate } from './expiry-store.ts';
import { passGates } from './expiry-store.ts';
import { lockInvoices } from './change-invoice-store.ts';
import { lockReader } from './lock-reader.ts';

/**
 * A person ends an invoice whose payment stands on a network that was given up: nobody will read how that payment ends, so
 * nothing else may end it.
 */

export type EndOutcome = 'completed' | 'expired';
export type EndInput = { transId: string; outcome: EndOutcome; reason: string; actor: string };

/** Why a person may not end an invoice so; undefined when it may be done. */
export function refuseEnd(facts: EndFacts | undefined, outcome: EndOutcome): string | undefined {
  if (!facts) return 'There is no such invoice.';
  if (facts.status === 'completed') return 'The invoice is paid already.';
  if (facts.payments.length === 0) return 'No payment of it stands in a chain: it expires by itself.';
  if (!facts.payments.some(({ retired }) => retired))
    return 'Its payment is on a network that is read: it ends by itself. transfer accept and discard decide a transfer that is doubted.';
  if (outcome === 'completed') return undefined;
  if (facts.status === 'expired') return 'The invoice has expired already.';
  if (facts.payments.some(({ retired }) => !retired)) return 'Another payment of it is on a network that is read.';
  return undefined;
}

export async function endInvoice(database: Database, clock: Clock, input: EndInput): Promise<void> {
  const { transId, outcome, reason, actor } = input;
  const at = new Date(clock.nowMs());
  const before = await readEndFacts(database.queries, transId);
  const gates = await readAllGates(database.queries, before ? [before.id] : [], at);
  await inTransaction(database, async (tx) => {
    const { facts, payment } = await lockEndFacts(tx, before, input);
    if (outcome === 'completed') await markAccepted(tx, payment.transferId, actor);
    else await requireCovered(tx, facts.id, gates, at);
    const expired = new Set(outcome === 'expired' ? [facts.id] : []);
    const { network, txId, index } = payment;
    await changeInvoices(tx, at, [facts.id], expired, expired);
    const after = await readEndFacts(tx, transId);
    if (after?.status !== outcome) throw new OperatorError(`It cannot be ${outcome}: it is ${after?.status}.`);
    await recordAudit(tx, clock, {
      actor,
      action: 'invoice.end',
      subject: `store:${facts.storeId}`,
      details: { transId, outcome, reason, network, txId, index },
    });
  });
}

/** What is true under the locks of the reader and the invoice, and the payment on a network that was given up. */
async function lockEndFacts(
  tx: Tx,
  before: EndFacts | undefined,
  { transId, outcome }: EndInput,
): Promise<{ facts: EndFacts; payment: StandingPayment }> {
  const refusal = refuseEnd(before, outcome);
  const named = before?.payments.find(({ retired }) => retired);
  if (refusal !== undefined || !before || !named) throw new OperatorError(refusal ?? 'It cannot be ended.');
  await lockReader(tx, named);
  await lockInvoices(tx, [before.id]);
  const facts = await readEndFacts(tx, transId);
  const payment = facts?.payments.find(({ transferId }) => transferId === named.transferId);
  const changed = refuseEnd(facts, outcome);
  if (changed !== undefined || !facts || !payment) throw new OperatorError(changed ?? 'Its payment is gone meanwhile.');
  return { facts, payment };
}

/** As for any expiry: what it was quoted on has been read past its end; what was given up counts as read until now. */
async function requireCovered(tx: Tx, id: bigint, gates: readonly Gate[], at: Date): Promise<void> {
  const covered = await passGates(tx, [id], lowerGates(gates, await readAllGates(tx, [id], at)));
  if (covered.length === 0)
    throw new OperatorError('It has not ended, or another network that it was quoted on is not read past its end.');
}
