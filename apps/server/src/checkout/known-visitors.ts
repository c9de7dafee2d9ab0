import type { Clock } from '../lib/clock.ts';

/**
 * Visitors who have been at an invoice before. The first visitors of an invoice stay known while they keep coming, so
 * that no crowd of later visitors can make the payer unknown.
 */

type KnownVisitors = {
  knows(invoice: string, visitor: string): boolean;
  /** Notes that a visitor from a block of addresses was at an invoice; does nothing when the memory is full. */
  remember(invoice: string, visitor: string, block: string): void;
};

/**
 * Length of a generation: a visitor stays known for one to two generations after the last visit. An open stream lasts
 * as long as one generation.
 */
const GENERATION_MS = 30 * 60_000;
const MAX_PER_INVOICE = 64;
/** Places beyond these, of which each block of addresses has a few, so that one crowd does not take all of them. */
const RESERVED_PER_INVOICE = 64;
const RESERVED_PER_BLOCK = 4;
const MAX_INVOICES = 50_000;

/** By invoice, the block of addresses of each visitor. */
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
