import { parseDecimal } from '@counterfoil/core/amount.ts';
import { amountOf, codePrefixOf, hashPrefixesOf, recognizeSearch, wordsOf } from '@counterfoil/core/search.ts';
import type { Queries } from '../db/database.ts';
import type { Person } from '../lib/actor.ts';
import type { Networks } from '../networks/networks.ts';
import type { VisibleStore } from '../stores/member-store-sql.ts';
import type { SoughtUnits } from './recent-search-sql.ts';
import { searchRecent, searchUnmatchedAmounts } from './recent-search-sql.ts';
import type { SearchResult } from './search.ts';
import {
  searchByCode,
  searchByCodePrefix,
  searchByEvent,
  searchByHashPrefix,
  searchByReceiver,
  searchByRequestId,
  searchBySender,
  searchByTransaction,
} from './search-sql.ts';
import type { ViewsContext } from './require-visible-stores.ts';
import { requireVisibleStores } from './require-visible-stores.ts';

/** Most results of a search. */
const MAX_RESULTS = 20;

/** A typed amount in the base units of every token; prices in other units are not searched. */
function soughtUnits(networks: Networks, typed: string): SoughtUnits[] {
  const amount = amountOf(typed);
  if (!amount) return [];
  return [...networks.values()].flatMap(({ id, tokens }) =>
    tokens.flatMap(({ symbol, decimals }) => {
      const [from, below] = [parseDecimal(amount.from, decimals), parseDecimal(amount.below, decimals)];
      return from === undefined || below === undefined ? [] : [{ network: id, token: symbol, from, below }];
    }),
  );
}

type LooseAsk = { merchantAccountId: bigint; storeIds: readonly bigint[]; networks: Networks; text: string };

/** Parts of codes, hashes, titles and orders, and amounts. Unmatched transfers come first: they wait for a decision. */
async function searchLoosely(queries: Queries, ask: LooseAsk): Promise<SearchResult[]> {
  const { merchantAccountId, storeIds, networks, text } = ask;
  const limit = MAX_RESULTS;
  const units = soughtUnits(networks, text);
  const prefix = codePrefixOf(text);
  const prefixes = hashPrefixesOf(text);
  return [
    ...(await searchUnmatchedAmounts(queries, storeIds, { merchantAccountId, units, limit })),
    ...(prefix === undefined ? [] : await searchByCodePrefix(queries, storeIds, { prefix, limit })),
    ...(prefixes.length === 0
      ? []
      : await searchByHashPrefix(queries, storeIds, { networks: [...networks.keys()], prefixes, limit })),
    ...(await searchRecent(queries, storeIds, { words: wordsOf(text), amount: amountOf(text), limit })),
  ];
}

const keyOf = ({ transferId, transId, txId }: SearchResult) => transferId ?? transId ?? txId;

/** Each invoice and transfer once, by its first result. */
function withoutRepeats(found: readonly SearchResult[]): SearchResult[] {
  const first = new Map(found.toReversed().map((one) => [keyOf(one), one]));
  return found.filter((one) => first.get(keyOf(one)) === one);
}

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
  if (sought.kind !== 'text') return { results: found.slice(0, MAX_RESULTS), stores };
  const { networks: known } = context;
  const loose = await searchLoosely(queries, { merchantAccountId, storeIds, networks: known, text });
  return { results: withoutRepeats([...found, ...loose]).slice(0, MAX_RESULTS), stores };
}
