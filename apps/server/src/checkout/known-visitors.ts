import type { Clock } from '../lib/clock.ts';

/**
 * Visitors who have been at an invoice before. The first visitors of an invoice stay known while they keep coming, so
 * that no crowd of later visitors can make the payer unknown.
 */

type KnownVisitors = {
  knows(invoice: string, visitor: string): boolean;
  /** Notes that a visitor was at an invoice; does nothing when the memory is full. */
  remember(invoice: string, visitor: string): void;
};

/**
 * Length of a generation: a visitor stays known for one to two generations after the last visit. An open stream lasts
 * as long as one generation.
 */
const GENERATION_MS = 30 * 60_000;
const MAX_PER_INVOICE = 64;
const MAX_INVOICES = 50_000;

type Generation = Map<string, Set<string>>;

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
    remember: (invoice, visitor) => {
      renew();
      const present = recent.get(invoice);
      if (!present && recent.size >= maxInvoices) return;
      const visitors = present ?? new Set<string>();
      const wasKnown = older.get(invoice)?.has(visitor) ?? false;
      if (visitors.size >= MAX_PER_INVOICE && !wasKnown) return;
      visitors.add(visitor);
      recent.set(invoice, visitors);
    },
  };
}
