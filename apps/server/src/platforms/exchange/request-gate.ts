import type { Clock } from '../../lib/clock.ts';
import { sleep } from '../../lib/loop.ts';
import { baseUrlsWith } from '../../networks/exchange-networks.ts';
import { SourceError } from '../../sources/chain-source.ts';
import { createAddressTurns } from './address-turns.ts';
import { createPauses } from './pauses.ts';

/**
 * All requests of a process to exchange platforms pass the gate. It stays below documented quotas and sends nothing
 * during a requested pause, because a ban of our IP address would stop all stores. Requests beyond an account's quota
 * are refused; those charged to our IP address take turns.
 */

export type Quota = {
  /** A platform may have several separate quotas. */
  name: string;
  limit: number;
  windowMs: number;
};

/** A request as the gate counts it. */
export type GateEntry = {
  baseUrl: string;
  /** The API key whose account is charged; absent where our IP address is. */
  account?: string | undefined;
  quota: Quota;
  weight: number;
};

/** A requested pause, for a base URL or one account there. */
export type Pause = { baseUrl: string; account?: string | undefined; untilMs: number };

export type RequestGate = {
  /** Counts a request and waits for its turn; throws a SourceError of kind `rate` when it must not be sent soon. */
  enter: (entry: GateEntry) => Promise<void>;
  /** How many processes share our IP address, including this one; each uses an equal share. */
  shareWith: (processes: number) => void;
  /** Applies a pause that another process was asked for; does not call `onPause`. */
  pauseUntil: (baseUrl: string, untilMs: number) => void;
  /** Applies a pause that this process was asked for; calls `onPause`. */
  observe: (pause: Pause) => void;
  pausedUntil: (baseUrl: string) => number | undefined;
};

type RequestGateOptions = {
  clock: Clock;
  /** Called for each pause that this process was asked for. */
  onPause?: (pause: Pause) => void;
  /** Waits in milliseconds of `clock`; a test moves its clock instead. */
  wait?: (ms: number) => Promise<void>;
};

/** Half of the quota per window of ours: two of our windows may overlap one of the platform's. */
const USED_PART = 2;
/** Most counters kept, about two per account in use; ended ones are dropped above this. */
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

/** Drops ended counters at MAX_KEPT. */
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
