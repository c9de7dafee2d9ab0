import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from './clock.ts';

/**
 * Watches work that must show life until it ends: an answer, a refusal, a time-out, a finished statement. Everything that
 * a process waits for has a time limit, so work that shows nothing for a minute waits for something that will never come,
 * and only a new process helps.
 */

export type Watchdog = {
  enlist: (name: string) => Watched;
  /** Names of what has shown no life for half as long as it may. */
  silent: () => string[];
  /** Called every `checkMs` by whoever keeps watch. */
  check: () => void;
  checkMs: number;
};

/** Something that works in turns and rests between them; a rest may last as long as it likes. */
export type Watched = {
  turn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Work that goes on beside the turns: its life counts for both, its silence for itself. */
  beside: <T>(name: string, work: () => Promise<T>) => Promise<T>;
};

/** For work in a process that nobody watches. */
export const UNWATCHED: Watched = { turn: (work) => work(), beside: (_name, work) => work() };

export type WatchdogOptions = {
  /** Of a clock that nobody can set. */
  clock: Clock;
  maxSilenceMs: number;
  /** Called once. */
  onSilence: (name: string, silentMs: number) => void;
};

type Entry = { name: string; turns: number; silentMs: number; above: Entry | undefined; watched: Watched };

const MAX_CHECK_MS = 1_000;

const underWay = new AsyncLocalStorage<Entry>();

function revive(entry: Entry | undefined): void {
  for (let one = entry; one; one = one.above) one.silentMs = 0;
}

/** Says that what is under way here has just been answered, refused or timed out. Costs nothing where nobody watches. */
export function showLife(): void {
  revive(underWay.getStore());
}

/** The same for an answer that will arrive elsewhere, as callbacks of sockets do. */
export function expectLife(): () => void {
  const entry = underWay.getStore();
  return () => revive(entry);
}

/** Runs work beside the watched work that starts it; where nobody watches, it simply runs. */
export function runBeside<T>(name: string, work: () => Promise<T>): Promise<T> {
  return underWay.getStore()?.watched.beside(name, work) ?? work();
}

function createEntry(entries: Set<Entry>, name: string, above: Entry | undefined): Entry {
  const turn = async <T>(work: () => Promise<T>): Promise<T> => {
    entry.silentMs = 0;
    entry.turns += 1;
    try {
      return await underWay.run(entry, work);
    } finally {
      entry.turns -= 1;
      revive(entry.above);
    }
  };
  const beside = async <T>(part: string, work: () => Promise<T>): Promise<T> => {
    const own = createEntry(entries, `${name}: ${part}`, entry);
    try {
      return await own.watched.turn(work);
    } finally {
      entries.delete(own);
    }
  };
  const entry: Entry = { name, turns: 0, silentMs: 0, above, watched: { turn, beside } };
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
      [...entries].filter((one) => one.turns > 0 && one.silentMs >= maxSilenceMs / 2).map((one) => one.name),
    checkMs,
    check: () => {
      const nowMs = clock.nowMs();
      // A process that was stopped for a while, or whose machine slept, has not been silent for that long.
      const passedMs = Math.min(nowMs - checkedMs, 2 * checkMs);
      checkedMs = nowMs;
      const busy = [...entries].filter((entry) => entry.turns > 0);
      for (const entry of busy) entry.silentMs += passedMs;
      const stuck = busy.find((entry) => entry.silentMs >= maxSilenceMs);
      if (!stuck || told) return;
      told = true;
      onSilence(stuck.name, stuck.silentMs);
    },
  };
}

/** Checks for as long as the process lives; does not keep it alive. */
export function keepWatch(watchdog: Watchdog): void {
  setInterval(watchdog.check, watchdog.checkMs).unref();
}
