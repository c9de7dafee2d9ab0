import { SECOND_MS } from '@counterfoil/core/duration.ts';
import type { InvoiceStatus } from './invoice.ts';

/** A merchant cancels an invoice that has not been paid: its time to pay ends, and with it the invoice. */

export type CancelFacts = {
  status: InvoiceStatus;
  /** When the invoice was cancelled, if it was. */
  cancelledAt: Date | null;
  /**
   * Whether a transfer that may pay the invoice is attached, at any depth: also one that left its chain, because such a
   * transfer mostly returns.
   */
  attached: boolean;
};

/** Block times are whole seconds: a payment in the second of the cancel is in time. */
export function cancelMoment(nowMs: number): Date {
  return new Date(Math.ceil(nowMs / SECOND_MS) * SECOND_MS);
}

/** The end of the time to pay: a cancel ends it early. */
export function endOfWindow({ expiresAt, cancelledAt }: { expiresAt: Date; cancelledAt: Date | null }): Date {
  return cancelledAt && cancelledAt < expiresAt ? cancelledAt : expiresAt;
}

export function judgeCancel({ status, cancelledAt, attached }: CancelFacts): 'cancel' | 'cancelled' | 'refuse' {
  if (cancelledAt !== null && status === 'expired') return 'cancelled';
  return status === 'waiting' && !attached ? 'cancel' : 'refuse';
}
