import { setBounded } from '../lib/bounded-map.ts';
import type { ClientNetwork } from '../lib/client-address.ts';
import { clientNetworks } from '../lib/client-address.ts';
import type { Clock } from '../lib/clock.ts';

/** How many calls one address may make in a minute: a person who works fast needs a tenth of it. */
export const CALLS_PER_MINUTE = 1_200;
/** How many files of the app one address may load in a minute: an office behind one address opens it some hundred times. */
export const FILES_PER_MINUTE = 12_000;
const WINDOW_MS = 60_000;
const MS_PER_SECOND = 1_000;
/** How many times one address's budget an IPv6 network has: one client may have all of its addresses. */
const SHARES: Record<ClientNetwork['bits'], number> = { 32: 1, 64: 1, 56: 4, 48: 16 };
/** How many callers are counted; the one that was heard of longest ago is forgotten first. */
const MAX_CALLERS = 20_000;

type Window = { startedMs: number; used: number };

/**
 * Counts the requests of each network address in this process, IPv6 addresses by every network that one client may have.
 * Returns undefined for a request within the budgets, and otherwise the seconds until the next one is answered. A request
 * that a narrow network refuses is not counted for the wider ones, so that neighbours do not pay for it.
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
        return Math.ceil((startedMs + WINDOW_MS - clock.nowMs()) / MS_PER_SECOND);
    }
    return undefined;
  };
}
