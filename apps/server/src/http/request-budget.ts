import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { setBounded } from '../lib/bounded-map.ts';
import type { ClientNetwork } from '../lib/client-address.ts';
import { clientNetworks } from '../lib/client-address.ts';
import type { Clock } from '../lib/clock.ts';

/** A fast user needs a tenth of it. */
export const CALLS_PER_MINUTE = 1_200;
/** An office behind one address opens the app some hundred times. */
export const FILES_PER_MINUTE = 12_000;
const WINDOW_MS = 60_000;
/** Multiples of an address's budget by IPv6 network size: one client may own all of its addresses. */
const SHARES: Record<ClientNetwork['bits'], number> = { 32: 1, 64: 1, 56: 4, 48: 16 };
/** Most counted callers; the least recent are dropped. */
const MAX_CALLERS = 20_000;

type Window = { startedMs: number; used: number };

/**
 * Counts requests by IP address and its IPv6 networks. Undefined within the budgets, otherwise the seconds to wait. A
 * request that a narrow network refuses is not charged to its neighbours.
 */
export function createRequestBudget(clock: Clock, requestsPerMinute: number): (address: string) => number | undefined {
  const windows = new Map<string, Window>();
  const count = (caller: string): Window => {
    const nowMs = clock.nowMs();
    const known = windows.get(caller);
    const window = known && nowMs - known.startedMs < WINDOW_MS ? known : { startedMs: nowMs, used: 0 };
    window.used += 1;
    setBounded(windows, caller, window, MAX_CALLERS);
    return window;
  };
  return (address) => {
    for (const { bits, name } of clientNetworks(address)) {
      const { startedMs, used } = count(name);
      if (used > requestsPerMinute * SHARES[bits])
        return Math.ceil((startedMs + WINDOW_MS - clock.nowMs()) / SECOND_MS);
    }
    return undefined;
  };
}
