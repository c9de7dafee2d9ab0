import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { queryOptions } from '@tanstack/react-query';
import { filtersOf, SPANS } from './invoice-filters.ts';
import type { InvoiceFilters } from './invoice-search.ts';
import type { Answer } from './call.ts';
import { call } from './call.ts';

type InvoiceList = Answer<'GET /accounts/{account}/invoices'>;
export type ListedInvoice = InvoiceList['invoices'][number];
export type InvoiceHistory = Answer<'GET /accounts/{account}/invoices/{invoice}'>;
export type FoundResult = Answer<'GET /accounts/{account}/search'>['results'][number];

const WATCH_MS = 3_000;
const NEWEST_MS = 5_000;
const OPEN_MS = 3_000;
const ENDED_MS = 30_000;

/** Pages that a list skips automatically when a filter leaves nothing on them. */
const MAX_SKIPPED = 5;

async function readList(account: string, filters: InvoiceFilters, after: string | undefined): Promise<InvoiceList> {
  const { last, from, ...rest } = filtersOf(filters);
  const since = last === undefined ? from : Math.floor(Date.now() / SECOND_MS) - SPANS[last];
  const query = {
    ...rest,
    ...(since !== undefined && { from: String(since) }),
    ...(rest.to !== undefined && { to: String(rest.to) }),
  } as Omit<typeof rest, 'to'> & { from?: string; to?: string };
  let cursor = after;
  for (let skipped = 0; ; skipped += 1) {
    const asked = { ...query, ...(cursor !== undefined && { after: cursor }) };
    const page = await call('GET /accounts/{account}/invoices', { path: { account }, query: asked });
    if (page.invoices.length > 0 || page.next === null || skipped >= MAX_SKIPPED) return page;
    cursor = page.next;
  }
}

/** A page of the list. It does not change until new rows are requested, so that nothing moves under a finger. */
export const invoicesQuery = (account: string, filters: InvoiceFilters, after: string | undefined) =>
  queryOptions({
    queryKey: ['invoices', account, filters, after ?? null],
    queryFn: () => readList(account, filters, after),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
    refetchOnWindowFocus: false,
  });

/** The present first page, to detect new rows. */
export const newestQuery = (account: string, filters: InvoiceFilters) =>
  queryOptions({
    queryKey: ['invoices-newest', account, filters],
    queryFn: () => readList(account, filters, undefined),
    refetchInterval: NEWEST_MS,
  });

/** States of visible invoices, polled. */
export const statesQuery = (account: string, ids: readonly string[]) =>
  queryOptions({
    queryKey: ['invoice-states', account, ids],
    queryFn: () => call('GET /accounts/{account}/changes', { path: { account }, query: { ids: ids.join(',') } }),
    enabled: ids.length > 0,
    refetchInterval: WATCH_MS,
  });

const hasEnded = ({ invoice, deliveries }: InvoiceHistory) =>
  (invoice.status === 'completed' || invoice.status === 'expired') &&
  !deliveries?.some(({ state }) => state === 'pending');

/** An invoice with its timeline, reloaded on every visit. */
export const invoiceQuery = (account: string, invoice: string) =>
  queryOptions({
    queryKey: ['invoice', account, invoice],
    queryFn: () => call('GET /accounts/{account}/invoices/{invoice}', { path: { account, invoice } }),
    refetchOnMount: 'always',
    refetchInterval: ({ state: { data } }) => (data && hasEnded(data) ? ENDED_MS : OPEN_MS),
  });

export const searchQuery = (account: string, typed: string) =>
  queryOptions({
    queryKey: ['search', account, typed],
    queryFn: () => call('GET /accounts/{account}/search', { path: { account }, query: { q: typed } }),
  });
