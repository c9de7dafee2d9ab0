import type { InvoiceStatus } from './invoice.ts';

/** One pure function from facts to status. Every path (transfer, reorg, expiry, attachment) goes through it. */

/** A transfer that matches a quote of the invoice exactly, judged by who owned the amount at its block time. */
export type PaymentFact = {
  transferId: bigint;
  /** It stands in the chain as we last read it. */
  canonical: boolean;
  /** Canonical, read twice, and as deep as the quote's rule asks. */
  settled: boolean;
  /** Its block time is inside the window; or after it, but within the store's grace. */
  timing: 'in-window' | 'in-grace' | 'late';
  /** A person attached it. */
  attached: boolean;
};

export type InvoiceFacts = {
  status: InvoiceStatus;
  /** In the order of the chain. */
  payments: readonly PaymentFact[];
  /** Every network it was quoted on has been read past its end, at the tier that would settle it. */
  covered: boolean;
  /** A person ended it, because the network of its payment was given up and nobody will read how that ends. */
  givenUp?: boolean;
};

export type Decision = {
  status: InvoiceStatus;
  /** The payment that completes it, when this decision does. */
  paidBy?: bigint;
  late?: true;
  /** It came in time and by itself, and the invoice expired all the same: that must never happen unseen. */
  foundLate?: true;
};

function counts(payment: PaymentFact): boolean {
  return payment.attached || payment.timing !== 'late';
}

/** Whether something that would pay an invoice stands in a chain. */
export function hasStanding(payments: readonly PaymentFact[]): boolean {
  return payments.some((payment) => payment.canonical && counts(payment));
}

export function decideInvoice(facts: InvoiceFacts): Decision {
  if (facts.status === 'completed') return { status: 'completed' };
  const payments = facts.payments.filter((payment) => payment.canonical && counts(payment));
  const paying = payments.find((payment) => payment.settled);
  if (paying) {
    const late = facts.status === 'expired' || paying.timing !== 'in-window';
    const foundLate = facts.status === 'expired' && paying.timing === 'in-window' && !paying.attached;
    return {
      status: 'completed',
      paidBy: paying.transferId,
      ...(late && { late }),
      ...(foundLate && { foundLate }),
    };
  }
  // An expired invoice stays so until a payment is settled: the merchant has been told.
  if (facts.status === 'expired') return { status: 'expired' };
  if (payments.length > 0 && facts.givenUp !== true) return { status: 'processing' };
  return { status: facts.covered ? 'expired' : 'waiting' };
}
