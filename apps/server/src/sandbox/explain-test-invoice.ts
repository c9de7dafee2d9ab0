import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { KnownAct } from './act-sql.ts';
import { listActs } from './act-sql.ts';
import { MAX_ACTS, MAX_MENDING_ACTS } from './request-acts.ts';
import type { TestEvent, TestInvoice, TestTransfer } from './test-invoice-sql.ts';
import { findTestInvoice, listTestEvents, listTestTransfers } from './test-invoice-sql.ts';

export type ExplainedInvoice = TestInvoice & { transfers: TestTransfer[]; events: TestEvent[]; acts: KnownAct[] };

/** Explains a test invoice: requested actions, transfers seen by readers, and events for the merchant. */
export async function explainTestInvoice(
  { database: { queries } }: Pick<Context, 'database'>,
  _actor: Actor,
  { store, transId }: { store: StoreRef; transId: string },
): Promise<ExplainedInvoice> {
  if (store.live) throw new Refusal('STORE_NOT_FOR_TESTS');
  const invoice = await findTestInvoice(queries, transId, store.id);
  if (!invoice) throw new Refusal('INVOICE_UNKNOWN', { transId });
  return {
    ...invoice,
    transfers: await listTestTransfers(queries, invoice.id, MAX_ACTS),
    events: await listTestEvents(queries, invoice.id),
    acts: await listActs(queries, invoice.id, MAX_ACTS + MAX_MENDING_ACTS),
  };
}
