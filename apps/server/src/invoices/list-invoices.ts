import type { Queries } from '../db/database.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { InvoiceFilter, ListedInvoice, ListPage, StoreProgress } from './invoice-list.ts';
import { advance, cutPage, divideLook, floorOf, fullPage, isOpen, needsQuote } from './invoice-list.ts';
import { findFirstSince, findListedId, lookAtInvoices, readListedInvoices, readTransId } from './invoice-list-sql.ts';
import type { ViewsContext } from './require-visible-stores.ts';
import { requireVisibleStores } from './require-visible-stores.ts';

/** Most invoices per scan of a page. Most filters match many, so the first is small. */
const LOOKS = [600, 3_000, 6_000];
const LOOKS_WITH_QUOTE = [300, 900, 1_300];
/** No scan starts after this time: with a slow disk a page is short rather than late. */
const MAX_LOOKING_MS = 150;

/** How far id order may differ from creation order: processes have their own clocks. */
const SKEW_MS = 300_000;
/** Ids above and below all others. */
const ABOVE_ALL = 2n ** 63n - 1n;
const BELOW_ALL = 0n;

type ListInput = {
  merchantCode: string;
  merchantId?: string | undefined;
  live?: boolean | undefined;
  filter: InvoiceFilter;
  /** The cursor: the page begins below this invoice. */
  after?: string | undefined;
  size: number;
};

type Listed = {
  invoices: (ListedInvoice & { merchantId: string; live: boolean })[];
  next: string | null;
};

const shifted = (at: Date, ms: number) => new Date(at.getTime() + ms);

/** Where each store's part of a page begins and ends, by cursor and dates. */
async function beginProgress(
  queries: Queries,
  storeIds: readonly bigint[],
  { createdFrom, createdTo }: InvoiceFilter,
  below: bigint,
): Promise<StoreProgress[]> {
  const first = createdFrom && (await findFirstSince(queries, storeIds, shifted(createdFrom, -SKEW_MS)));
  const last = createdTo && (await findFirstSince(queries, storeIds, shifted(createdTo, SKEW_MS)));
  return storeIds.map((storeId) => {
    const end = last?.get(storeId) ?? ABOVE_ALL;
    const start = { atLeast: first?.get(storeId) ?? BELOW_ALL, below: end < below ? end : below };
    return { storeId, ...start, isDone: false, density: undefined };
  });
}

/** Scans until the page is full, nothing is left, or the budget of a request is used. */
async function fillPage(
  { views: { queries }, clock }: ViewsContext,
  begun: readonly StoreProgress[],
  filter: InvoiceFilter,
  size: number,
): Promise<ListPage> {
  const startedMs = clock.nowMs();
  const isOpenFilter = isOpen(filter);
  const budgets = needsQuote(filter) ? LOOKS_WITH_QUOTE : LOOKS;
  const found: bigint[] = [];
  let stores = [...begun];
  for (const budget of isOpenFilter ? [(size + 1) * stores.length] : budgets) {
    const shares = divideLook(budget, stores);
    const asked = stores.flatMap((store) => {
      const most = shares.get(store.storeId);
      return most === undefined ? [] : [{ ...store, most }];
    });
    const looks = new Map(
      (await lookAtInvoices(queries, asked, filter, isOpenFilter)).map((look) => [look.storeId, look]),
    );
    stores = stores.map((store) => {
      const look = looks.get(store.storeId);
      if (!look) return store;
      found.push(...look.matched);
      return advance(store, look, shares.get(store.storeId) ?? 0);
    });
    const page = fullPage(found, floorOf(stores), size);
    if (page) return page;
    if (clock.nowMs() - startedMs > MAX_LOOKING_MS) break;
  }
  return cutPage(found, floorOf(stores), size);
}

/**
 * Lists a person's visible invoices at a merchant, newest first. With a rare filter a page may be short or empty and
 * still have a next one: each request scans a bounded number.
 */
export async function listInvoices(
  context: ViewsContext,
  actor: Person,
  { merchantCode, merchantId, live, filter, after, size }: ListInput,
): Promise<Listed> {
  // A given store is valid in either mode; it has no invoices in the other.
  const wanted = merchantId === undefined ? { live } : { merchantId };
  const asked = { merchantCode, ...wanted, permission: 'invoice.see' } as const;
  const { stores } = await requireVisibleStores(context, actor, asked);
  const { queries } = context.views;
  const storeIds = [...stores.values()]
    .filter((store) => live === undefined || store.live === live)
    .map(({ id }) => id);
  const below = after === undefined ? ABOVE_ALL : await findListedId(queries, storeIds, after);
  if (below === undefined) throw new Refusal('INVOICE_UNKNOWN', {});
  const page = await fillPage(context, await beginProgress(queries, storeIds, filter, below), filter, size);
  const invoices = await readListedInvoices(queries, page.ids);
  return {
    invoices: invoices.flatMap((invoice) => {
      const store = stores.get(invoice.storeId);
      return store ? [{ ...invoice, merchantId: store.merchantId, live: store.live }] : [];
    }),
    next: page.next === undefined ? null : ((await readTransId(queries, page.next)) ?? null),
  };
}
