import { setBounded } from '../lib/bounded-map.ts';
import { clientBucket } from '../lib/client-address.ts';
import type { Clock } from '../lib/clock.ts';

/** How many calls one address may make in a minute: a person who works fast needs a tenth of it. */
export const CALLS_PER_MINUTE = 1_200;
/** How many files of the app one address may load in a minute: an office behind one address opens it some hundred times. */
export const FILES_PER_MINUTE = 12_000;
const WINDOW_MS = 60_000;
const MS_PER_SECOND = 1_000;
/** How many callers are counted; the one that was heard of longest ago is forgotten first. */
const MAX_CALLERS = 20_000;

type Window = { startedMs: number; used: number };

/**
 * Counts the requests of each network address in this process. Returns undefined for a request within the budget, and
 * otherwise the seconds until the next one is answered.
 */
export function createRequestBudget(clock: Clock, requestsPerMinute: number): (address: string) => number | undefined {
  const windows = new Map<string, Window>();
  return (address) => {
    const caller = clientBucket(address);
    const nowMs = clock.nowMs();
    const known = windows.get(caller);
    const window = known && nowMs - known.startedMs < WINDOW_MS ? known : { startedMs: nowMs, used: 0 };
    window.used += 1;
    setBounded(windows, caller, window, MAX_CALLERS);
    if (window.used <= requestsPerMinute) return undefined;
    return Math.ceil((window.startedMs + WINDOW_MS - nowMs) / MS_PER_SECOND);
  };
}
