import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { filtersOf } from '../../api/invoice-filters.ts';
import type { ListedInvoice } from '../../api/invoice-queries.ts';
import { invoicesQuery, newestQuery, statesQuery } from '../../api/invoice-queries.ts';
import type { InvoiceSearch } from '../../api/invoice-search.ts';
import { queryClient } from '../../api/queries.ts';

type InvoiceList = {
  query: UseQueryResult<{ next: string | null }>;
  /** Invoices of the page, with their newest status. */
  rows: readonly ListedInvoice[];
  next: string | null;
  /** Number of new invoices since the page was loaded, and the function that shows them. */
  fresh: number;
  showFresh: () => void;
};

/** A page of invoices with live status; new ones wait until requested. */
export function useInvoiceList(account: string, search: InvoiceSearch): InvoiceList {
  const filters = filtersOf(search);
  const { after } = search;
  const listed = invoicesQuery(account, filters, after);
  const query = useQuery(listed);
  const { data: newest } = useQuery({
    ...newestQuery(account, filters),
    enabled: after === undefined && query.isSuccess,
  });
  // In an empty list nothing can move: first rows appear automatically.
  const page = query.data?.invoices.length === 0 && newest ? newest : query.data;
  const shown = page?.invoices ?? [];
  const { data: states } = useQuery(
    statesQuery(
      account,
      shown.map((one) => one.trans_id),
    ),
  );
  const stateOf = new Map(states?.invoices.map((one) => [one.trans_id, one]));
  const rows = shown.map((one) => Object.assign({}, one, stateOf.get(one.trans_id)));
  const known = new Set(shown.map((one) => one.trans_id));
  const top = shown[0]?.created_at ?? 0;
  const fresh =
    after === undefined
      ? (newest?.invoices.filter((one) => !known.has(one.trans_id) && one.created_at >= top).length ?? 0)
      : 0;
  const showFresh = () => {
    if (newest) queryClient.setQueryData(listed.queryKey, newest);
  };
  return { query, rows, next: page?.next ?? null, fresh, showFresh };
}

type Change = (
  next: Partial<{ [Key in keyof InvoiceSearch]: InvoiceSearch[Key] | undefined }>,
  replace?: boolean,
) => void;

/** The list's query parameters, and their setter. */
export function useInvoiceSearch(): { search: InvoiceSearch; change: Change; clear: () => void } {
  const search = useSearch({ from: '/signed-in/m/$account/invoices' });
  const navigate = useNavigate({ from: '/m/$account/invoices' });
  return {
    search,
    change: (next, replace = false) =>
      void navigate({
        search: (present: InvoiceSearch) => {
          const merged = Object.entries({ ...present, ...next }).filter(([, value]) => value !== undefined);
          return Object.fromEntries(merged);
        },
        replace,
        resetScroll: false,
      }),
    clear: () => void navigate({ search: {} }),
  };
}
