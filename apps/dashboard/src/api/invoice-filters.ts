import type { InvoiceFilters, InvoiceSearch, ListedStatus, Span } from './invoice-search.ts';

/** Filters of the list, without other parameters. */

export const LISTED: readonly ListedStatus[] = ['waiting', 'processing', 'completed', 'late', 'expired'];

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** Periods that end now, in seconds. */
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

/** Number of active filters in the bar; both ends of a range count as one. */
export function countFilters({ from, to, last, min_amount: least, max_amount: most, ...rest }: InvoiceFilters): number {
  const hasTime = from !== undefined || to !== undefined || last !== undefined;
  const hasAmount = least !== undefined || most !== undefined;
  return Object.keys(rest).length + (hasTime ? 1 : 0) + (hasAmount ? 1 : 0);
}
