import type { Clock } from '../lib/clock.ts';
import type { InspectForStore, InspectOnNetwork } from '../sources/inspected-transaction.ts';
import { createVisitCounts } from './visit-counts.ts';

/** The most questions to a network's nodes that visitors may cause, for each process and minute. */

export const INSPECTIONS_PER_MINUTE = {
  /** Limit for nodes that are configured for visitors' questions only. */
  own: 600,
  /** Limit for nodes that workers read payments from: the rest of what these nodes allow is for the workers. */
  shared: 60,
};

/** The share of the questions that visitors of one store may use, as 1/n, so that other stores' visitors are answered. */
const STORE_SHARE = 3;
/** How many stores are counted in a minute: more than a process asks questions for. */
const MAX_STORES = 1_000;

export class BudgetError extends Error {
  constructor() {
    super('This process has asked about enough transactions for this minute.');
    this.name = 'BudgetError';
  }
}

export function limitInspector(inspect: InspectOnNetwork, perMinute: number, clock: Clock): InspectForStore {
  const all = createVisitCounts(clock, 1);
  const stores = createVisitCounts(clock, MAX_STORES);
  return async (txId, timeoutMs, storeId) => {
    const store = String(storeId);
    if (all.used('') >= perMinute || stores.used(store) >= perMinute / STORE_SHARE) throw new BudgetError();
    all.add('');
    stores.add(store);
    return inspect(txId, timeoutMs);
  };
}
