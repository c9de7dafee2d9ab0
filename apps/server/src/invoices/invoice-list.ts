import type { PricingColumns } from '../rates/pricing.ts';
import type { InvoiceStatus } from './invoice.ts';

/** Lists of invoices over many stores: each is scanned down, and what all have been scanned to can be shown. */

export const LISTED_STATUSES = ['waiting', 'processing', 'completed', 'expired', 'late'] as const;

export type InvoiceFilter = {
  /** `late` are completed invoices whose money arrived or was found after their end. */
  status?: (typeof LISTED_STATUSES)[number] | undefined;
  /** Networks of the invoice's shown quote: the latest, or the paid one. */
  networks?: readonly string[] | undefined;
  token?: string | undefined;
  /** USD amounts as plain decimals, inclusive. */
  minAmount?: string | undefined;
  maxAmount?: string | undefined;
  createdFrom?: Date | undefined;
  /** Exclusive. */
  createdTo?: Date | undefined;
  callbackFailed?: boolean | undefined;
};

/** Whether a filter depends on the quote. */
export const needsQuote = ({ networks, token }: InvoiceFilter) => networks !== undefined || token !== undefined;

export const isOpen = (filter: InvoiceFilter) => Object.values(filter).every((one) => one === undefined);

/** The partial index for a filter: few invoices are open, late, or have a failed callback. */
export function scanOf({ status, callbackFailed }: InvoiceFilter): 'all' | 'open' | 'late' | 'failed' {
  if (status === 'waiting' || status === 'processing') return 'open';
  if (status === 'late') return 'late';
  return callbackFailed === true ? 'failed' : 'all';
}

/** How far a store has been scanned, by invoice ids in creation order. */
export type StoreProgress = {
  storeId: bigint;
  /** Lower bound, inclusive. */
  atLeast: bigint;
  /** Every matching invoice from this id on has been read. */
  below: bigint;
  isDone: boolean;
  /** Invoices per id so far; undefined before the first scan. */
  density: number | undefined;
};

/** The result of one scan of a store. */
export type Look = {
  storeId: bigint;
  looked: number;
  highest: bigint | null;
  lowest: bigint | null;
  matched: readonly bigint[];
};

/** Divides a budget among the stores, so that all are scanned down to about the same id. */
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

/** The id that a budget reaches at the density so far, among stores that are not there yet. */
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

/** The progress after a scan of at most `most` invoices. */
export function advance(store: StoreProgress, look: Look, most: number): StoreProgress {
  if (look.lowest === null || look.highest === null) return { ...store, isDone: true };
  const density = look.looked / Number(look.highest - look.lowest + 1n);
  return { ...store, below: look.lowest, density, isDone: look.looked < most };
}

/** The id down to which all stores are scanned; undefined when all are done. */
export function floorOf(stores: readonly StoreProgress[]): bigint | undefined {
  let floor: bigint | undefined;
  for (const { isDone, below } of stores) if (!isDone && (floor === undefined || below > floor)) floor = below;
  return floor;
}

export type ListPage = {
  /** Invoices to show, newest first. */
  ids: readonly bigint[];
  /** The cursor of the next page; undefined for the last page. */
  next: bigint | undefined;
};

/** The page; undefined when further scans may fill it. */
export function fullPage(found: readonly bigint[], floor: bigint | undefined, size: number): ListPage | undefined {
  const page = cutPage(found, floor, size);
  return page.ids.length === size || page.next === undefined ? page : undefined;
}

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
  cancelled: boolean;
  /** Whether the invoice expired although money arrived for it. */
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
} & PricingColumns;
