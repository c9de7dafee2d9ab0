import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from './clock.ts';

/**
 * Watched work must show signs of life: an answer, a refusal, a time-out, a finished statement. Every wait has a time
 * limit, so a minute without one means that only a new process helps.
 */

export type Watchdog = {
  enlist: (name: string) => Watched;
  /** Work without a sign of life for half of the allowed time. */
  silent: () => string[];
  /** Called by keepWatch every `checkMs`. */
  check: () => void;
  checkMs: number;
};

/** Watched runs, and pauses of any length in between. */
export type Watched = {
  run: <T>(work: () => Promise<T>) => Promise<T>;
  /** Runs further work beside a run. Its signs of life count for the run too, but not the reverse. */
  beside: <T>(name: string, work: () => Promise<T>) => Promise<T>;
};

/** Used where there is no watchdog. */
export const UNWATCHED: Watched = { run: (work) => work(), beside: (_name, work) => work() };

type WatchdogOptions = {
  /** A clock that cannot be set. */
  clock: Clock;
  maxSilenceMs: number;
  /** Ends the process; called once. */
  onSilence: (name: string, silentMs: number) => void;
};

type Entry = { name: string; running: number; silentMs: number; above: Entry | undefined; watched: Watched };

const MAX_CHECK_MS = 1_000;

const underWay = new AsyncLocalStorage<Entry>();

function revive(entry: Entry | undefined): void {
  for (let one = entry; one; one = one.above) one.silentMs = 0;
}

/** A sign of life of the current work. Free without a watchdog. */
export function showLife(): void {
  revive(underWay.getStore());
}

/** Returns a function that shows a sign of life later, for answers outside the current work, as in socket callbacks. */
export function expectLife(): () => void {
  const entry = underWay.getStore();
  return () => revive(entry);
}

/** Runs work beside the watched work that starts it. */
export function runBeside<T>(name: string, work: () => Promise<T>): Promise<T> {
  return underWay.getStore()?.watched.beside(name, work) ?? work();
}

function createEntry(entries: Set<Entry>, name: string, above: Entry | undefined): Entry {
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    entry.silentMs = 0;
    entry.running += 1;
    try {
      return await underWay.run(entry, work);
    } finally {
      entry.running -= 1;
      revive(entry.above);
    }
  };
  const beside = async <T>(part: string, work: () => Promise<T>): Promise<T> => {
    const own = createEntry(entries, `${name}: ${part}`, entry);
    try {
      return await own.watched.run(work);
    } finally {
      entries.delete(own);
    }
  };
  const entry: Entry = { name, running: 0, silentMs: 0, above, watched: { run, beside } };
  entries.add(entry);
  return entry;
}

export function createWatchdog({ clock, maxSilenceMs, onSilence }: WatchdogOptions): Watchdog {
  const entries = new Set<Entry>();
  const checkMs = Math.min(MAX_CHECK_MS, maxSilenceMs / 10);
  let checkedMs = clock.nowMs();
  let told = false;
  return {
    enlist: (name) => createEntry(entries, name, undefined).watched,
    silent: () =>
      [...entries].filter((one) => one.running > 0 && one.silentMs >= maxSilenceMs / 2).map((one) => one.name),
    checkMs,
    check: () => {
      const nowMs = clock.nowMs();
      // Time between checks is capped: a process that was paused, or whose machine slept, was not silent.
      const passedMs = Math.min(nowMs - checkedMs, 2 * checkMs);
      checkedMs = nowMs;
      const busy = [...entries].filter((entry) => entry.running > 0);
      for (const entry of busy) entry.silentMs += passedMs;
      const stuck = busy.find((entry) => entry.silentMs >= maxSilenceMs);
      if (!stuck || told) return;
      told = true;
      onSilence(stuck.name, stuck.silentMs);
    },
  };
}

/** The check does not keep the process alive. */
export function keepWatch(watchdog: Watchdog): void {
  setInterval(watchdog.check, watchdog.checkMs).unref();
}
