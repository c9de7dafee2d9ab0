import { isTopupCode } from '@counterfoil/core/code.ts';
import { HOUR_MS } from '@counterfoil/core/duration.ts';
import { raiseAlarms } from '../audit/raise-alarms.ts';
import { periodOf } from '../db/partition-sql.ts';
import type { Tx } from '../db/transaction.ts';
import { afterCommit } from '../db/transaction.ts';
import type { Bookings, Hold } from '../ledger/booking-sql.ts';
import { bookEntries } from '../ledger/booking-sql.ts';
import type { CompletingPayment, LockedInvoice } from './change-invoice-sql.ts';
import {
  completeInvoices,
  explainPayments,
  findLiveInvoices,
  lockInvoices,
  readPayments,
  restAmounts,
  updateStatuses,
} from './change-invoice-sql.ts';
import { ENDED_INVOICES } from './invoice-topics.ts';
import { recordChanges } from './change-feed-sql.ts';
import type { Decision, Payment } from './invoice-status.ts';
import { decideInvoice, hasStanding } from './invoice-status.ts';
import { rememberPending } from './pending-sql.ts';
import { recordEvents, recordReceivedMoney } from './record-events.ts';
import { takePositions } from './store-position-sql.ts';
import { QUARANTINE_HOURS } from '../quotes/quote.ts';
import { markCredited } from '../topups/topup-sql.ts';

const FIRST_HOLD = 1;
const LATE_HOLD = 2;
const NONE: ReadonlySet<bigint> = new Set();

type Changed = { invoice: LockedInvoice; decision: Decision };
type Decided = Changed & { payments: readonly Payment[] };

/**
 * The only writer of an invoice's status. Locks the invoices in order, then reads their facts, decides each invoice
 * purely, and writes status, ledger, quarantines and events in the caller's transaction. `covered` are the invoices
 * whose networks had all been read past their end before the lock was taken; `givenUp` are invoices that a person ends
 * although a payment is in a chain.
 */
export async function changeInvoices(
  tx: Tx,
  at: Date,
  ids: readonly bigint[],
  covered: ReadonlySet<bigint>,
  givenUp: ReadonlySet<bigint> = NONE,
): Promise<void> {
  if (ids.length === 0) return;
  const locked = await lockInvoices(tx, ids);
  const payments = Map.groupBy(await readPayments(tx, ids), (payment) => payment.invoiceId);
  const decided = locked.map((invoice) => {
    const facts = {
      status: invoice.status,
      payments: payments.get(invoice.id) ?? [],
      covered: covered.has(invoice.id),
      givenUp: givenUp.has(invoice.id),
      cancelled: invoice.cancelledAt !== null,
    };
    const decision = decideInvoice(facts);
    return { invoice, decision, payments: facts.payments, unexplained: needsExplaining(facts.payments, decision) };
  });
  const changed = decided.filter(({ invoice, decision }) => decision.status !== invoice.status);
  const completed = changed.filter(({ decision }) => decision.status === 'completed');
  const expired = changed.filter(({ decision }) => decision.status === 'expired');
  const open = changed.filter(({ decision }) => decision.status === 'waiting' || decision.status === 'processing');
  const positions = await takePositions(
    tx,
    [...completed, ...expired].map(({ invoice }) => invoice),
  );
  await updateStatuses(
    tx,
    [...open, ...expired].map(({ invoice: { id }, decision: { status } }) => ({
      id,
      status,
      position: positions.get(id),
    })),
    at,
  );
  const settled = await settle(tx, at, completed, positions);
  await rememberPending(
    tx,
    decided.filter(isPending).map(({ invoice }) => invoice.id),
  );
  const unpaying = await explainPayments(
    tx,
    decided.filter((one) => one.unexplained).map(({ invoice }) => invoice.id),
  );
  const ended = [...completed, ...expired];
  await restAmounts(
    tx,
    ended.map(({ invoice }) => invoice.id),
    new Date(at.getTime() + QUARANTINE_HOURS * HOUR_MS),
  );
  const processing = open.filter(({ invoice, decision }) => decision.status === 'processing' && invoice.hasEndpoints);
  await recordEvents(tx, at, [...ended, ...processing]);
  await recordReceivedMoney(tx, at, unpaying);
  await recordChanges(tx, ids);
  publishEnded(tx, at, expired, []);
  const releases = expired.map(({ invoice }) => firstHold(invoice));
  await bookEntries(tx, { ...settled, releases }, at);
}

/**
 * Whether an expired invoice has a payment that may still settle. Processing invoices are left out, because their
 * status is enough to find them again.
 */
function isPending({ decision, payments }: Decided): boolean {
  return decision.status === 'expired' && hasStanding(payments);
}

/**
 * Whether reasons why payments do not count must be written or taken back. Mostly not: most invoices have one payment,
 * made in time.
 */
function needsExplaining(payments: readonly Payment[], decision: Decision): boolean {
  if (payments.some((payment) => payment.reason !== null || payment.timing === 'late')) return true;
  return decision.status === 'completed' && payments.some((payment) => payment.transferId !== decision.paidBy);
}

function firstHold(invoice: LockedInvoice): Hold {
  return {
    storeId: invoice.storeId,
    invoiceId: invoice.id,
    holdNumber: FIRST_HOLD,
    period: periodOf(invoice.createdAt),
    microUsd: invoice.feeMicroUsd,
  };
}

/** Credits of the top-ups that these invoices pay. Other invoices, which are nearly all, cost no statement. */
async function creditsOf(tx: Tx, at: Date, completed: readonly Changed[]): Promise<Bookings['topups']> {
  const ids = completed.filter(({ invoice }) => isTopupCode(invoice.requestId)).map(({ invoice }) => invoice.id);
  if (ids.length === 0) return [];
  const credited = await markCredited(tx, ids, at);
  return credited.map(({ invoiceId, storeId, microUsd, invoiceCreatedAt }) => ({
    invoiceId,
    storeId,
    microUsd,
    period: periodOf(invoiceCreatedAt),
  }));
}

/** Completes invoices. Returns what this does to the ledger, which is written at the end of the transaction. */
async function settle(
  tx: Tx,
  at: Date,
  completed: readonly Changed[],
  positions: ReadonlyMap<bigint, bigint>,
): Promise<Omit<Bookings, 'releases'>> {
  const payments = await completeInvoices(
    tx,
    completed.flatMap(({ invoice: { id }, decision: { paidBy, late } }) =>
      paidBy === undefined ? [] : [{ id, transferId: paidBy, late: late === true, position: positions.get(id) }],
    ),
    at,
  );
  publishEnded(tx, at, completed, payments);
  const afterExpiry = completed.filter(({ invoice }) => invoice.status === 'expired');
  const inTime = completed.filter(({ invoice }) => invoice.status !== 'expired');
  const lateHolds = afterExpiry.map(({ invoice }) => ({
    ...firstHold(invoice),
    holdNumber: LATE_HOLD,
    period: periodOf(at),
  }));
  await alarmFoundLate(
    tx,
    at,
    afterExpiry.filter(({ decision }) => decision.foundLate === true).map(({ invoice }) => invoice),
  );
  const captures = [...inTime.map(({ invoice }) => firstHold(invoice)), ...lateHolds];
  return { lateHolds, captures, topups: await creditsOf(tx, at, completed) };
}

function outcomeOf({ invoice, decision: { status, late } }: Changed) {
  if (status !== 'completed') return invoice.cancelledAt === null ? ('expired' as const) : ('cancelled' as const);
  return late === true ? ('completed-late' as const) : ('completed' as const);
}

/** Counts ended invoices once they are committed. */
function publishEnded(tx: Tx, at: Date, ended: readonly Changed[], payments: readonly CompletingPayment[]): void {
  if (ended.length === 0) return;
  const paid = new Map(payments.map((payment) => [payment.id, payment]));
  const told = ended.map((one) => {
    const { invoice } = one;
    const payment = paid.get(invoice.id);
    return {
      live: invoice.live,
      outcome: outcomeOf(one),
      ...(payment && {
        payment: {
          network: payment.network,
          detectedMs: payment.seenAt.getTime() - payment.blockTime.getTime(),
          completedMs: at.getTime() - payment.blockTime.getTime(),
        },
      }),
    };
  });
  afterCommit(tx, () => ENDED_INVOICES.publish(told));
}

/** Alarms the operator about payments found after their invoices had expired; test payments alarm nobody. */
async function alarmFoundLate(tx: Tx, at: Date, invoices: readonly LockedInvoice[]): Promise<void> {
  if (invoices.length === 0) return;
  const live = await findLiveInvoices(
    tx,
    invoices.map(({ id }) => id),
  );
  await raiseAlarms(
    tx,
    at,
    invoices
      .filter(({ id }) => live.has(id))
      .map(({ transId }) => ({ kind: 'found-late', subject: transId, details: {} })),
  );
}
