import type { Mode } from './home-queries.ts';

/** Query parameters of the invoice list: filters, page, and the open invoice. */

const STATUSES = ['waiting', 'processing', 'completed', 'expired', 'late'] as const;
const MODES: readonly Mode[] = ['live', 'test'];
const SPANS = ['30m', '24h', '7d', '30d'] as const;

export type ListedStatus = (typeof STATUSES)[number];
export type Span = (typeof SPANS)[number];

export type InvoiceFilters = {
  store?: string;
  mode?: Mode;
  status?: ListedStatus;
  network?: string;
  token?: string;
  min_amount?: string;
  max_amount?: string;
  from?: number;
  to?: number;
  /** A period that ends now, instead of `from` and `to`. */
  last?: Span;
  callback?: 'failed';
};

export type InvoiceSearch = InvoiceFilters & {
  after?: string;
  invoice?: string;
  create?: 'yes';
};

const MAX_CODE = 64;

const codeIn = (value: unknown) =>
  typeof value === 'string' && value !== '' && value.length <= MAX_CODE ? value : undefined;

/** An amount for the server; the URL may have it as number or text. */
const amountIn = (value: unknown) => (/^\d{1,7}(?:\.\d{1,8})?$/.test(String(value)) ? String(value) : undefined);

const secondIn = (value: unknown) => (/^\d{1,10}$/.test(String(value)) ? Number(value) : undefined);

const oneOf = <Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
  values.find((one) => one === value);

/** Invalid parameters are ignored: an unfiltered list is better than none. */
export function readInvoiceSearch(raw: Record<string, unknown>): InvoiceSearch {
  const found = {
    store: codeIn(raw['store']),
    mode: oneOf(MODES, raw['mode']),
    status: oneOf(STATUSES, raw['status']),
    network: codeIn(raw['network']),
    token: codeIn(raw['token']),
    min_amount: amountIn(raw['min_amount']),
    max_amount: amountIn(raw['max_amount']),
    from: secondIn(raw['from']),
    to: secondIn(raw['to']),
    last: oneOf(SPANS, raw['last']),
    callback: oneOf(['failed'] as const, raw['callback']),
    after: codeIn(raw['after']),
    invoice: codeIn(raw['invoice']),
    create: oneOf(['yes'] as const, raw['create']),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}
