import type { Clock } from '../lib/clock.ts';

/** Known visitors of an invoice. The first stay known, so that no later crowd displaces the payer. */

type KnownVisitors = {
  knows(invoice: string, visitor: string): boolean;
  /** Records a visitor's block of addresses; does nothing when full. */
  remember(invoice: string, visitor: string, block: string): void;
};

/** A visitor stays known for one to two generations. A stream lasts at most one. */
const GENERATION_MS = 30 * 60_000;
const MAX_PER_INVOICE = 64;
/** Further places, a few per block of addresses, so that one crowd does not take all. */
const RESERVED_PER_INVOICE = 64;
const RESERVED_PER_BLOCK = 4;
const MAX_INVOICES = 50_000;

/** Each invoice's visitors, with their blocks of addresses. */
type Generation = Map<string, Map<string, string>>;

function hasPlace(visitors: ReadonlyMap<string, string>, block: string): boolean {
  if (visitors.size < MAX_PER_INVOICE) return true;
  if (visitors.size >= MAX_PER_INVOICE + RESERVED_PER_INVOICE) return false;
  return [...visitors.values()].filter((one) => one === block).length < RESERVED_PER_BLOCK;
}

export function createKnownVisitors(clock: Clock, maxInvoices = MAX_INVOICES): KnownVisitors {
  let startedAtMs = clock.nowMs();
  let recent: Generation = new Map();
  let older: Generation = new Map();
  const renew = () => {
    const ageMs = clock.nowMs() - startedAtMs;
    if (ageMs >= 0 && ageMs < GENERATION_MS) return;
    older = ageMs >= 0 && ageMs < 2 * GENERATION_MS ? recent : new Map();
    recent = new Map();
    startedAtMs = clock.nowMs();
  };
  return {
    knows: (invoice, visitor) => {
      renew();
      return Boolean(recent.get(invoice)?.has(visitor) || older.get(invoice)?.has(visitor));
    },
    remember: (invoice, visitor, block) => {
      renew();
      const present = recent.get(invoice);
      if (!present && recent.size >= maxInvoices) return;
      const visitors = present ?? new Map<string, string>();
      const isKnown = visitors.has(visitor) || (older.get(invoice)?.has(visitor) ?? false);
      if (!isKnown && !hasPlace(visitors, block)) return;
      visitors.set(visitor, block);
      recent.set(invoice, visitors);
    },
  };
}
