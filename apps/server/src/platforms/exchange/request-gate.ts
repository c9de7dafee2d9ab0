import type { Clock } from '../../lib/clock.ts';
import { sleep } from '../../lib/loop.ts';
import { baseUrlsWith } from '../../networks/exchange-networks.ts';
import { SourceError } from '../../sources/chain-source.ts';
import { createAddressTurns } from './address-turns.ts';
import { createPauses } from './pauses.ts';

/**
 * The request gate of a process, through which all its requests to exchange platforms go. The gate stays below the
 * quotas that platforms document, and sends nothing during a pause that a platform asked for: a platform bans an IP
 * address that goes on asking, which would stop the reads of all stores. Requests charged to an exchange account are
 * refused when its quota is used up; requests charged to our IP address take turns, because the exchange accounts of
 * all stores share that quota.
 */

/** A quota: how much weight of requests a platform accepts in a window of time. */
export type Quota = {
  /** The name of the quota: a platform may count several quotas separately. */
  name: string;
  limit: number;
  windowMs: number;
};

/** A request to a platform, as the request gate counts it. */
export type GateEntry = {
  baseUrl: string;
  /** The API key whose exchange account is charged; absent where the platform counts by our IP address. */
  account?: string | undefined;
  quota: Quota;
  weight: number;
};

/** A pause that a platform asked for: for a base URL, or for one exchange account at that base URL. */
export type Pause = { baseUrl: string; account?: string | undefined; untilMs: number };

export type RequestGate = {
  /**
   * Counts a request and waits for its turn; throws a SourceError of kind `rate` when the request must not be sent
   * soon.
   */
  enter: (entry: GateEntry) => Promise<void>;
  /**
   * Sets how many processes ask platforms from our IP address, this process included: each process uses an equal share
   * of the quota.
   */
  shareWith: (processes: number) => void;
  /**
   * Sends nothing to the base URL until a time, because a platform asked another process for a pause; `onPause` is not
   * called.
   */
  pauseUntil: (baseUrl: string, untilMs: number) => void;
  /** Notes that a platform asked this process for a pause; `onPause` is called. */
  observe: (pause: Pause) => void;
  /** The end of the base URL's pause; undefined when there is no pause. */
  pausedUntil: (baseUrl: string) => number | undefined;
};

type RequestGateOptions = {
  clock: Clock;
  /** Called for each pause that a platform asked this process for. */
  onPause?: (pause: Pause) => void;
  /** Waits for a request's turn, in milliseconds of `clock`; a test passes a function that moves its clock instead. */
  wait?: (ms: number) => Promise<void>;
};

/**
 * Divisor of an exchange account's quota: we use half of the quota in each window of ours. A window of the platform may
 * overlap two of our windows, which together never exceed the quota.
 */
const USED_PART = 2;
/**
 * How many counters of used quota are kept, about two per exchange account in use. Above that, ended counters are
 * dropped.
 */
const MAX_KEPT = 50_000;
type Counter = { startMs: number; endMs: number; used: number };

function counterOf(entry: GateEntry): string {
  return [entry.baseUrl, entry.quota.name, entry.account ?? ''].join(' ');
}

function pauseOf(baseUrl: string, account: string | undefined): string {
  return [baseUrl, account ?? ''].join(' ');
}

function tooSoon(baseUrl: string, reason: string, retryAfterMs: number): SourceError {
  return new SourceError('rate', `${new URL(baseUrl).origin} is not asked now: ${reason}.`, { retryAfterMs });
}

/**
 * Drops the counters of used quota whose windows have ended; does nothing while there are fewer than MAX_KEPT counters.
 */
function dropFinished(counters: Map<string, Counter>, nowMs: number): void {
  if (counters.size < MAX_KEPT) return;
  for (const [name, { endMs }] of counters) if (endMs <= nowMs) counters.delete(name);
}

const NEVER = new AbortController().signal;

export function createRequestGate(options: RequestGateOptions): RequestGate {
  const { clock, onPause, wait = (ms: number) => sleep(ms / (clock.rate ?? 1), NEVER) } = options;
  const counters = new Map<string, Counter>();
  const turns = createAddressTurns(clock);
  const pauses = createPauses(clock);
  const endOfPause = (baseUrl: string, account?: string) =>
    account === undefined
      ? pauses.endOf(baseUrlsWith(baseUrl).map((one) => pauseOf(one, undefined)))
      : pauses.endOf([pauseOf(baseUrl, account)]);
  const pause = ({ baseUrl, account, untilMs }: Pause) => pauses.extend(pauseOf(baseUrl, account), untilMs);

  function count({ baseUrl, quota, weight, ...entry }: GateEntry): void {
    const nowMs = clock.nowMs();
    const name = counterOf({ baseUrl, quota, weight, ...entry });
    const last = counters.get(name);
    const runs = last !== undefined && nowMs >= last.startMs && nowMs < last.endMs;
    const counter = runs ? last : { startMs: nowMs, endMs: nowMs + quota.windowMs, used: 0 };
    if (counter.used + weight > quota.limit / USED_PART)
      throw tooSoon(baseUrl, `half of its quota "${quota.name}" is used`, counter.endMs - nowMs);
    counter.used += weight;
    if (runs) return;
    dropFinished(counters, nowMs);
    counters.set(name, counter);
  }

  function requireNoPause({ baseUrl, account }: GateEntry): void {
    const endMs = endOfPause(baseUrl) ?? endOfPause(baseUrl, account);
    if (endMs !== undefined) throw tooSoon(baseUrl, 'it asked for a pause', endMs - clock.nowMs());
  }

  return {
    enter: async (entry) => {
      requireNoPause(entry);
      if (entry.account !== undefined) return count(entry);
      const { baseUrl, quota } = entry;
      const refuse = (ms: number) => tooSoon(baseUrl, `others wait for its quota "${quota.name}"`, ms);
      const waitMs = turns.take(entry, refuse);
      if (waitMs === 0) return;
      await wait(waitMs);
      requireNoPause(entry);
    },
    shareWith: turns.shareWith,
    pauseUntil: (baseUrl, untilMs) => pause({ baseUrl, untilMs }),
    observe: (observed) => {
      pause(observed);
      onPause?.(observed);
    },
    pausedUntil: (baseUrl) => endOfPause(baseUrl),
  };
}
