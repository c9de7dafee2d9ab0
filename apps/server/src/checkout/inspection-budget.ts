import type { Clock } from '../lib/clock.ts';
import type { InspectForStore, InspectOnNetwork } from '../sources/inspected-transaction.ts';
import { createVisitCounts } from './visit-counts.ts';

/** Most requests to a network's nodes that visitors may cause, per process and minute. */

export const INSPECTIONS_PER_MINUTE = {
  /** For nodes that only serve visitors. */
  own: 600,
  /** For nodes that workers use too, which need the rest. */
  shared: 60,
};

const STORE_SHARE = 3;
const MERCHANT_SHARE = 2;
/** The last part is for merchants who have caused few requests. */
const RESERVED_SHARE = 4;
const FEW_SHARE = 20;
/** Most stores and merchants counted per minute: more than requests are possible. */
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
