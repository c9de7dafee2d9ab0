import type { InvoiceStatus } from './invoice.ts';

/**
 * Lists of invoices over many stores, the newest first. Every store is looked through from its newest invoice down; what
 * all stores have been looked through down to can be shown. Pure.
 */

export const LISTED_STATUSES = ['waiting', 'processing', 'completed', 'expired', 'late'] as const;

export type InvoiceFilter = {
  /** `late` are completed invoices whose money came, or was found, after their end. */
  status?: (typeof LISTED_STATUSES)[number] | undefined;
  /** Ids of networks of the quote that the invoice shows: the latest one, or the one that was paid. */
  networks?: readonly string[] | undefined;
  token?: string | undefined;
  /** USD amounts as plain decimals, both inclusive. */
  minAmount?: string | undefined;
  maxAmount?: string | undefined;
  createdFrom?: Date | undefined;
  /** The first moment that is too late. */
  createdTo?: Date | undefined;
  callbackFailed?: boolean | undefined;
};

/** Whether a filter asks for what only the invoice's quote tells. */
export const needsQuote = ({ networks, token }: InvoiceFilter) => networks !== undefined || token !== undefined;

/** Whether every invoice of the stores is listed. */
export const isOpen = (filter: InvoiceFilter) => Object.values(filter).every((one) => one === undefined);

/** Which partial index finds the invoices of a filter: few invoices are open, late, or have a failed callback. */
export function scanOf({ status, callbackFailed }: InvoiceFilter): 'all' | 'open' | 'late' | 'failed' {
  if (status === 'waiting' || status === 'processing') return 'open';
  if (status === 'late') return 'late';
  return callbackFailed === true ? 'failed' : 'all';
}

/** How far a store has been looked through. Ids are those of invoices, in the order of their creation. */
export type StoreProgress = {
  storeId: bigint;
  /** No invoice below this id is wanted. */
  atLeast: bigint;
  /** Every wanted invoice from this id on has been looked at. */
  below: bigint;
  isDone: boolean;
  /** Invoices per id in what was looked at; undefined before the first look. */
  density: number | undefined;
};

/** What one look at a store found. */
export type Look = {
  storeId: bigint;
  looked: number;
  /** The newest and the oldest of the invoices that were looked at; null when there were none. */
  highest: bigint | null;
  lowest: bigint | null;
  matched: readonly bigint[];
};

/**
 * Divides how many invoices may be looked at among the stores, so that all are looked through down to about the same id.
 * Stores that are far enough already get none.
 */
export function divideLook(budget: number, stores: readonly StoreProgress[]): Map<bigint, number> {
  const open = stores.filter(({ isDone }) => !isDone);
  const even = Math.max(1, Math.ceil(budget / Math.max(1, open.length)));
  if (open.some(({ density }) => density === undefined)) return new Map(open.map(({ storeId }) => [storeId, even]));
  const reached = reachOf(budget, open);
  const shares = open.map(({ storeId, density = 0, below }) => {
    const share = Math.ceil(density * (Number(below) - reached));
    return [storeId, Math.min(budget, share)] as const;
  });
  return new Map(shares.filter(([, share]) => share > 0));
}

/**
 * The id down to which so many invoices are looked at, if invoices are as dense there as in what was looked at. Only
 * stores that are not that far yet take part.
 */
function reachOf(budget: number, stores: readonly StoreProgress[]): number {
  let [total, weighted, reached] = [0, 0, 0];
  for (const { density = 0, below } of stores.toSorted((one, other) => Number(other.below - one.below))) {
    if (total > 0 && Number(below) <= reached) break;
    total += density;
    weighted += density * Number(below);
    reached = (weighted - budget) / total;
  }
  return reached;
}

/** The progress of a store after a look that could see at most `most` invoices. */
export function advance(store: StoreProgress, look: Look, most: number): StoreProgress {
  if (look.lowest === null || look.highest === null) return { ...store, isDone: true };
  const density = look.looked / Number(look.highest - look.lowest + 1n);
  return { ...store, below: look.lowest, density, isDone: look.looked < most };
}

/** The id down to which all stores have been looked through; undefined when nothing is left to look at. */
export function floorOf(stores: readonly StoreProgress[]): bigint | undefined {
  let floor: bigint | undefined;
  for (const { isDone, below } of stores) if (!isDone && (floor === undefined || below > floor)) floor = below;
  return floor;
}

export type ListPage = {
  /** Ids of the invoices to show, the newest first. */
  ids: readonly bigint[];
  /** The id of the invoice below which the next page begins; undefined when there is no further page. */
  next: bigint | undefined;
};

/** The page of what was found; undefined when further looks may fill it. */
export function fullPage(found: readonly bigint[], floor: bigint | undefined, size: number): ListPage | undefined {
  const page = cutPage(found, floor, size);
  return page.ids.length === size || page.next === undefined ? page : undefined;
}

/** The page of what was found, however little that is. */
export function cutPage(found: readonly bigint[], floor: bigint | undefined, size: number): ListPage {
  const shown = found
    .filter((id) => floor === undefined || id >= floor)
    .toSorted((one, other) => (one < other ? 1 : -1));
  const ids = shown.slice(0, size);
  const last = ids.at(-1);
  if (shown.length > size) return { ids, next: last };
  return { ids, next: floor };
}

export type ListedInvoice = {
  id: bigint;
  transId: string;
  storeId: bigint;
  requestId: string | null;
  status: InvoiceStatus;
  late: boolean;
  /** Whether the invoice expired although money arrived that was meant for it. */
  arrived: boolean;
  amountUsd: string;
  name: string | null;
  createdAt: Date;
  expiresAt: Date;
  network: string | null;
  token: string | null;
  tokenAmount: string | null;
  transactionHash: string | null;
  callbackStatus: 'success' | 'failed' | null;
};
