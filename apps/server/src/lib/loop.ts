import type { Logger } from 'pino';
import type { Watchdog } from './watchdog.ts';

/** Runs again immediately while there is work, sleeps without, and waits longer after each failure. */

type LoopOptions = {
  name: string;
  log: Logger;
  signal: AbortSignal;
  /** Ends the process when a run hangs. */
  watchdog: Watchdog;
  /** Sleep when there was nothing to do. */
  idleMs: number;
  /** One run; true when there may be more to do. */
  body: () => Promise<boolean>;
};

const MAX_BACKOFF_MS = 30_000;

/** Sleeps for `ms`, or until aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
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
      const more = await watched.run(options.body);
      failures = 0;
      if (!more) await sleep(options.idleMs, options.signal);
    } catch (cause) {
      failures += 1;
      options.log.error({ err: cause, loop: options.name, failures }, 'loop failed');
      await sleep(Math.min(MAX_BACKOFF_MS, options.idleMs * 2 ** Math.min(failures, 10)), options.signal);
    }
  }
}
