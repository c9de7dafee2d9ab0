import { selectInTransaction } from '../invoices/select-payment-method.ts';
import type { ActOutcome } from './act-sql.ts';
import type { InvoiceAct } from './pay-invoice.ts';
import { findTestCode, findTestQuote } from './test-invoice-sql.ts';
import { selectFirst, USUAL_METHODS } from './usual-method.ts';

/** Selects a method for a test invoice, in its own transaction: readers lock accounts before invoices. */
export async function chooseMethod({ tx, networks, clock, invoiceId }: InvoiceAct): Promise<ActOutcome> {
  const transId = await findTestCode(tx, invoiceId);
  if (transId === undefined) return { done: false, note: 'no test invoice' };
  if (await findTestQuote(tx, invoiceId)) return { done: true };
  const refusal = await selectFirst(USUAL_METHODS, (method) =>
    selectInTransaction(tx, { clock, networks }, { transId, ...method }),
  );
  return refusal === undefined ? { done: true } : { done: false, note: `no payment method: ${refusal}` };
}
