import { findFailpoints } from '../../rig/processes/find-failpoints.ts';

/**
 * Failpoints of the work that a worker does by itself on chains. Followed accounts, exchange accounts, rescans, pending
 * invoices and named transactions have their own tests; `:piece` occurs only in floods, which also have their own
 * tests.
 */
const KINDS = ['expire', 'head', 'proof', 'rewind', 'tier'];

export function findChainFailpoints(): string[] {
  return findFailpoints(KINDS).filter((name) => !name.endsWith(':piece'));
}
