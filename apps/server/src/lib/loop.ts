import type { Logger } from 'pino';
import type { Watchdog } from './watchdog.ts';

/** A worker's loop: runs its body again at once while there is work, rests when there is none, backs off when it fails. */

export type LoopOptions = {
  name: string;
  log: Logger;
  signal: AbortSignal;
  /** Ends the process when a turn shows no life. */
  watchdog: Watchdog;
  /** How long it rests when there was nothing to do. */
  idleMs: number;
  /** True when there may be more to do. */
  body: () => Promise<boolean>;
};

const MAX_BACKOFF_MS = 30_000;

/** Resolves after `ms`, or as soon as the signal says stop. */
export function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}

export async function runLoop(options: LoopOptions): Promise<void> {
  const watched = options.watchdog.enlist(options.name);
  let failures = 0;
  while (!options.signal.aborted) {
    try {
      const more = await watched.turn(options.body);
      failures = 0;
      if (!more) await rest(options.idleMs, options.signal);
    } catch (cause) {
      failures += 1;
      options.log.error({ err: cause, loop: options.name, failures }, 'loop failed');
      await rest(Math.min(MAX_BACKOFF_MS, options.idleMs * 2 ** Math.min(failures, 10)), options.signal);
    }
  }
}
