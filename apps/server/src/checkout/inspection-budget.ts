import type { Clock } from '../lib/clock.ts';
import type { InspectOnNetwork } from '../sources/inspected-transaction.ts';
import { createVisitCounts } from './visit-counts.ts';

/** The most questions to a network's nodes that visitors may cause, for each process and minute. */

export const INSPECTIONS_PER_MINUTE = {
  /** Limit for nodes that are configured for visitors' questions only. */
  own: 600,
  /** Limit for nodes that workers read payments from: the rest of what these nodes allow is for the workers. */
  shared: 60,
};

export class BudgetError extends Error {
  constructor() {
    super('This process has asked about enough transactions for this minute.');
    this.name = 'BudgetError';
  }
}

export function limitInspector(inspect: InspectOnNetwork, perMinute: number, clock: Clock): InspectOnNetwork {
  const counts = createVisitCounts(clock, 1);
  return async (txId, timeoutMs) => {
    if (counts.used('') >= perMinute) throw new BudgetError();
    counts.add('');
    return inspect(txId, timeoutMs);
  };
}
