import type { Clock } from '../lib/clock.ts';
import type { InspectOnNetwork } from '../sources/inspected-transaction.ts';
import { createVisitCounts } from './visit-counts.ts';

/** How often strangers may make this process ask the nodes of one network, in a minute. */

export const INSPECTIONS_PER_MINUTE = {
  /** Nodes that are there for nothing else. */
  own: 600,
  /** Nodes by which payments are found: the rest of what they allow is the worker's. */
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
