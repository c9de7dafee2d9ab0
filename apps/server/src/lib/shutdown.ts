import type { Logger } from 'pino';
import { becomeExit } from './become-exit.ts';

const MAX_SHUTDOWN_MS = 15_000;
const MAX_FLUSH_MS = 1_000;

/** Ends the process at once; buffered log lines are written only if that is quick. */
export function exitWith(log: Logger, code: number): void {
  setTimeout(becomeExit, MAX_FLUSH_MS, code);
  log.flush(() => process.exit(code));
}

/** Stops the process in order on SIGTERM or SIGINT: work under way is finished, within a time limit. */
export function stopOnSignal(log: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const end = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    const late = setTimeout(() => {
      log.error('stopping took too long');
      exitWith(log, 1);
    }, MAX_SHUTDOWN_MS);
    stop()
      .then(() => log.info('stopped'))
      .catch((cause: unknown) => {
        log.error({ err: cause }, 'stopping failed');
        process.exitCode = 1;
      })
      .finally(() => {
        // The timer that ends the process after the time limit stays set, without keeping the process alive: a socket
        // whose other end is silently gone would otherwise delay the end for minutes.
        late.unref();
        const unwritten = setTimeout(becomeExit, MAX_FLUSH_MS, Number(process.exitCode ?? 0)).unref();
        log.flush(() => clearTimeout(unwritten));
      });
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
}
