import { MINUTE_MS, SECOND_MS } from '@counterfoil/core/duration.ts';
import { rewindAccount } from '../accounts/account-sql.ts';
import { recordChanges } from '../invoices/change-feed-sql.ts';
import type { ActOutcome } from './act-sql.ts';
import type { InvoiceAct } from './pay-invoice.ts';
import { noteChange } from './sandbox-transfer-sql.ts';
import { findTestEnd, listQuotedAccounts, moveIntoPast } from './test-invoice-sql.ts';
import { wakeAccount } from './wake-accounts.ts';

/** Above every block: a rewind to this height moves only the times of cursor and coverage. */
const EVERY_HEIGHT = Number.MAX_SAFE_INTEGER;
/** How far `end` goes beyond an invoice's end and grace, so that later payments are late. */
const PAST_END_MS = 2_000;

/**
 * Moves a test invoice's times into the past. Its accounts then count as covered only until shortly before the new end,
 * so that readers see every earlier payment before it can expire. Accounts are locked before the invoice, as by
 * readers.
 */
export async function advanceInvoice({ tx, at, invoiceId }: InvoiceAct, seconds: number): Promise<ActOutcome> {
  const end = await findTestEnd(tx, invoiceId);
  if (!end) return { done: false, note: 'no test invoice' };
  const newEndMs = end.expiresAt.getTime() - seconds * SECOND_MS;
  const before = { height: EVERY_HEIGHT, time: Math.floor(newEndMs / SECOND_MS) - 1 };
  for (const place of await listQuotedAccounts(tx, invoiceId)) {
    await rewindAccount(tx, place.network, place.account, before);
    await noteChange(tx, place);
    await wakeAccount(tx, place, at);
  }
  await moveIntoPast(tx, invoiceId, seconds);
  await recordChanges(tx, [invoiceId]);
  return { done: true };
}

/** As above, until the invoice's end and grace are over. */
export async function endInvoiceTime(of: InvoiceAct): Promise<ActOutcome> {
  const end = await findTestEnd(of.tx, of.invoiceId);
  if (!end) return { done: false, note: 'no test invoice' };
  const leftMs = end.expiresAt.getTime() + end.graceMinutes * MINUTE_MS + PAST_END_MS - of.at.getTime();
  return leftMs <= 0 ? { done: true } : advanceInvoice(of, Math.ceil(leftMs / SECOND_MS));
}
