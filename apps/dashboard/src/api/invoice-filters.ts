import type { InvoiceFilters, InvoiceSearch, ListedStatus, Span } from './invoice-search.ts';

/** Filters of the list, apart from what else its address holds. */

export const LISTED: readonly ListedStatus[] = ['waiting', 'processing', 'completed', 'late', 'expired'];

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** Times until now, in seconds. */
export const SPANS: Readonly<Record<Span, number>> = {
  '30m': 30 * MINUTE,
  '24h': 24 * HOUR,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
};

export function filtersOf(search: InvoiceSearch): InvoiceFilters {
  const { after: _after, invoice: _invoice, create: _create, ...filters } = search;
  return filters;
}

/** How many filters are set, as the bar shows them: both ends of a time or an amount are one. */
export function countFilters({ from, to, last, min_amount: least, max_amount: most, ...rest }: InvoiceFilters): number {
  const hasTime = from !== undefined || to !== undefined || last !== undefined;
  const hasAmount = least !== undefined || most !== undefined;
  return Object.keys(rest).length + (hasTime ? 1 : 0) + (hasAmount ? 1 : 0);
}
