import type { InvoiceStatus } from './invoice.ts';

/**
 * Decides an invoice's status, in one pure function. Every cause (transfer, reorg, expiry, attachment) goes through it.
 */

/**
 * A payment of the invoice: a transfer that matched the quote which owned its amount at its block time, or that a
 * person attached.
 */
export type Payment = {
  transferId: bigint;
  /** Whether the payment is in the chain as last read. */
  canonical: boolean;
  /** Whether the payment is canonical, and as deep as its tier asks. */
  settled: boolean;
  /**
   * When the payment came, by its block time: within the time to pay, after that but within the store's grace, or
   * later.
   */
  timing: 'in-window' | 'in-grace' | 'late';
  /** Whether a person attached the payment. */
  attached: boolean;
  /** Recorded reason why the transfer pays nothing; null without one. */
  reason: string | null;
};

export type InvoiceFacts = {
  status: InvoiceStatus;
  /** Payments in the order of the chain. */
  payments: readonly Payment[];
  /**
   * Whether every network that the invoice was quoted on is covered past the invoice's end, at the tier that would
   * settle a payment.
   */
  covered: boolean;
  /** Whether a person ends the invoice, because the network of its payment is retired and no longer read. */
  givenUp?: boolean;
};

export type Decision = {
  status: InvoiceStatus;
  /** The payment that completes the invoice, if this decision completes it. */
  paidBy?: bigint;
  late?: true;
  /**
   * Set when the payment came in time and was not attached by a person, and the invoice had expired all the same: an
   * alarm follows.
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
    const foundLate = facts.status === 'expired' && paying.timing === 'in-window' && !paying.attached;
    return {
      status: 'completed',
      paidBy: paying.transferId,
      ...(late && { late }),
      ...(foundLate && { foundLate }),
    };
  }
  // An expired invoice stays expired until a payment is settled, because the merchant was told of the expiry.
  if (facts.status === 'expired') return { status: 'expired' };
  if (payments.length > 0 && facts.givenUp !== true) return { status: 'processing' };
  return { status: facts.covered ? 'expired' : 'waiting' };
}
