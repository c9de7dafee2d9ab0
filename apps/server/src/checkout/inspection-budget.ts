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

/**
 * The share of the questions that visitors of one store, and of all stores of one merchant, may cause, as 1/n, so that
 * other stores' visitors are answered.
 */
const STORE_SHARE = 3;
const MERCHANT_SHARE = 2;
/** The last part of the questions is for visitors of merchants who have caused few. */
const RESERVED_SHARE = 4;
const FEW_SHARE = 20;
/** How many stores, and how many merchants, are counted in a minute: more than a process asks questions for. */
const MAX_NAMES = 1_000;

export class BudgetError extends Error {
  constructor() {
    super('This process has asked about enough transactions for this minute.');
    this.name = 'BudgetError';
  }
}

export function limitInspector(inspect: InspectOnNetwork, perMinute: number, clock: Clock): InspectForStore {
  const all = createVisitCounts(clock, 1);
  const stores = createVisitCounts(clock, MAX_NAMES);
  const merchants = createVisitCounts(clock, MAX_NAMES);
  return async (txId, timeoutMs, { storeId, merchantAccountId }) => {
    const [store, merchant] = [String(storeId), String(merchantAccountId)];
    const ofMerchant = merchants.used(merchant);
    const open = ofMerchant < perMinute / FEW_SHARE ? perMinute : perMinute - perMinute / RESERVED_SHARE;
    const isOver =
      all.used('') >= open || stores.used(store) >= perMinute / STORE_SHARE || ofMerchant >= perMinute / MERCHANT_SHARE;
    if (isOver) throw new BudgetError();
    all.add('');
    stores.add(store);
    merchants.add(merchant);
    return inspect(txId, timeoutMs);
  };
}
