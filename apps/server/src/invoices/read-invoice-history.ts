import { isAllowed } from '@counterfoil/core/permission.ts';
import { inSnapshot } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { VisibleStore } from '../stores/member-store-sql.ts';
import {
  readAttemptFacts,
  readAuditedFacts,
  readDeliveryFacts,
  readEventFacts,
  readInvoiceFact,
  readLedgerFacts,
  readNamedFacts,
  readQuoteFacts,
  readTransferFacts,
} from './invoice-fact-sql.ts';
import type { InvoiceFacts } from './invoice-timeline.ts';
import type { ViewsContext } from './require-visible-stores.ts';
import { requireVisibleStores } from './require-visible-stores.ts';

type HistoryInput = { merchantCode: string; transId: string };
type History = { facts: InvoiceFacts; store: VisibleStore };

/**
 * Everything stored about an invoice that the person may see: fees with `balance.see`, deliveries with `delivery.see`,
 * actions with `audit.see`. One snapshot.
 */
export async function readInvoiceHistory(
  context: ViewsContext,
  actor: Person,
  { merchantCode, transId }: HistoryInput,
): Promise<History> {
  const asked = { merchantCode, permission: 'invoice.see', transIds: [transId] } as const;
  const { stores, role } = await requireVisibleStores(context, actor, asked);
  return inSnapshot(context.views, async (tx) => {
    const invoice = await readInvoiceFact(tx, [...stores.keys()], transId);
    const store = invoice && stores.get(invoice.storeId);
    if (!invoice || !store) throw new Refusal('INVOICE_UNKNOWN', { transId });
    const { id } = invoice;
    const quotes = await readQuoteFacts(tx, id);
    const seesDeliveries = isAllowed(role, 'delivery.see');
    const deliveries = seesDeliveries ? await readDeliveryFacts(tx, id) : undefined;
    const facts = {
      invoice,
      quotes,
      transfers: await readTransferFacts(
        tx,
        id,
        quotes.map((quote) => quote.id),
      ),
      named: await readNamedFacts(tx, id),
      events: await readEventFacts(tx, id),
      ledger: isAllowed(role, 'balance.see') ? await readLedgerFacts(tx, id) : undefined,
      deliveries,
      attempts:
        deliveries &&
        (await readAttemptFacts(
          tx,
          deliveries.map((delivery) => delivery.id),
        )),
      audited: isAllowed(role, 'audit.see') ? await readAuditedFacts(tx, transId) : undefined,
    };
    return { facts, store };
  });
}
