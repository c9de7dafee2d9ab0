import { findFailpoints } from '../../rig/processes/find-failpoints.ts';

/**
 * Kinds of failpoints that the drill uses: those of the work that a worker does by itself on chains. Followed accounts,
 * exchange accounts, rescans, pending invoices and named transactions have their own tests. Failpoints named `:piece`
 * are left out: a worker reaches them only when a read has so many transfers that they are recorded in several commits,
 * which also has its own tests.
 */
const KINDS = ['expire', 'head', 'proof', 'rewind', 'tier'];

export function findChainFailpoints(): string[] {
  return findFailpoints(KINDS).filter((name) => !name.endsWith(':piece'));
}
