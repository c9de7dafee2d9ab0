import type { InvoiceStatus } from './invoice.ts';

/** Decides an invoice's status. Every cause (transfer, reorg, expiry, attachment) uses this one pure function. */

export type Payment = {
  transferId: bigint;
  /** Whether the payment is in the chain as last read. */
  canonical: boolean;
  /** Canonical, and at the depth of its tier. */
  settled: boolean;
  /** By block time: within the time to pay, which a cancel ends early; within the store's grace; or later. */
  timing: 'in-window' | 'in-grace' | 'late';
  /** Whether the payment was attached manually. */
  attached: boolean;
  /** Why the transfer pays nothing, if recorded. */
  reason: string | null;
};

export type InvoiceFacts = {
  status: InvoiceStatus;
  /** In chain order. */
  payments: readonly Payment[];
  /** Whether every quoted network is covered past the invoice's end, at the tier that would settle a payment. */
  covered: boolean;
  /** Whether an operator ends the invoice, because its payment's network is retired. */
  givenUp?: boolean;
  /** Whether the merchant cancelled the invoice: it ends without coverage. */
  cancelled?: boolean;
};

export type Decision = {
  status: InvoiceStatus;
  /** The payment that this decision completes the invoice by, if any. */
  paidBy?: bigint;
  late?: true;
  /**
   * An expired invoice's payment was in time and not attached manually: raises an alarm. Not for a cancelled invoice,
   * which ended although its networks had not been read.
   */
  foundLate?: true;
};

function counts(payment: Payment): boolean {
  return payment.attached || payment.timing !== 'late';
}

/** Whether a payment that would pay the invoice is in a chain. */
export function hasStanding(payments: readonly Payment[]): boolean {
  return payments.some((payment) => payment.canonical && counts(payment));
}

export function decideInvoice(facts: InvoiceFacts): Decision {
  if (facts.status === 'completed') return { status: 'completed' };
  const payments = facts.payments.filter((payment) => payment.canonical && counts(payment));
  const paying = payments.find((payment) => payment.settled);
  if (paying) {
    const late = facts.status === 'expired' || paying.timing !== 'in-window';
    const foundLate =
      facts.status === 'expired' && facts.cancelled !== true && paying.timing === 'in-window' && !paying.attached;
    return {
      status: 'completed',
      paidBy: paying.transferId,
      ...(late && { late }),
      ...(foundLate && { foundLate }),
    };
  }
  // The merchant was notified of the expiry, so only a settled payment changes it.
  if (facts.status === 'expired') return { status: 'expired' };
  if (payments.length > 0 && facts.givenUp !== true) return { status: 'processing' };
  return { status: facts.covered || facts.cancelled === true ? 'expired' : 'waiting' };
}
