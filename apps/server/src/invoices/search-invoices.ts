import { recognizeSearch } from '@counterfoil/core/search.ts';
import type { Person } from '../lib/actor.ts';
import type { Networks } from '../networks/networks.ts';
import type { VisibleStore } from '../stores/member-store-sql.ts';
import type { SearchResult } from './search.ts';
import {
  searchByCode,
  searchByEvent,
  searchByReceiver,
  searchByRequestId,
  searchBySender,
  searchByTransaction,
} from './search-sql.ts';
import type { ViewsContext } from './require-visible-stores.ts';
import { requireVisibleStores } from './require-visible-stores.ts';

/** Most results of a search. */
const MAX_RESULTS = 20;

type SearchInput = { merchantCode: string; typed: string };
type Found = { results: SearchResult[]; stores: ReadonlyMap<bigint, VisibleStore> };

/** Searches invoices, events and transfers of a person's visible stores at a merchant. */
export async function searchInvoices(
  context: ViewsContext & { networks: Networks },
  actor: Person,
  { merchantCode, typed }: SearchInput,
): Promise<Found> {
  const sought = recognizeSearch(typed);
  const transIds = sought.kind === 'invoice' ? [sought.transId] : [];
  const eventId = sought.kind === 'event' ? sought.eventId : undefined;
  const asked = { merchantCode, permission: 'invoice.see', transIds, eventId } as const;
  const { merchantAccountId, stores } = await requireVisibleStores(context, actor, asked);
  const { queries } = context.views;
  const storeIds = [...stores.keys()];
  const networks = [...context.networks.keys()];
  const find = async (): Promise<SearchResult[]> => {
    switch (sought.kind) {
      case 'invoice':
        return searchByCode(queries, storeIds, sought.transId);
      case 'event':
        return searchByEvent(queries, storeIds, sought.eventId);
      case 'transaction':
        return searchByTransaction(queries, storeIds, { networks, txIds: sought.txIds, limit: MAX_RESULTS });
      case 'address': {
        const ask = { merchantAccountId, addresses: sought.addresses, limit: MAX_RESULTS };
        const sent = await searchBySender(queries, storeIds, ask);
        return [...sent, ...(await searchByReceiver(queries, storeIds, ask))];
      }
      case 'text':
        return [];
    }
  };
  const found = await find();
  // Order ids and exchange payment ids can look like anything, including a hash.
  const text = typed.trim();
  if (found.length === 0) found.push(...(await searchByRequestId(queries, storeIds, { text, limit: MAX_RESULTS })));
  if (found.length === 0 && sought.kind === 'text') {
    found.push(...(await searchByTransaction(queries, storeIds, { networks, txIds: [text], limit: MAX_RESULTS })));
  }
  return { results: found.slice(0, MAX_RESULTS), stores };
}
