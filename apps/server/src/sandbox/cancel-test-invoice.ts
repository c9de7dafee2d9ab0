import { cancelUnderLock } from '../invoices/cancel-invoice.ts';
import type { ActOutcome } from './act-sql.ts';
import type { InvoiceAct } from './pay-invoice.ts';

export async function cancelTestInvoice({ tx, clock, storeId, invoiceId }: InvoiceAct): Promise<ActOutcome> {
  const { verdict } = await cancelUnderLock(tx, clock, invoiceId, `store:${storeId}`);
  return verdict === 'refuse' ? { done: false, note: 'the invoice cannot be cancelled' } : { done: true };
}
