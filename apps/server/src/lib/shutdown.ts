import type { Logger } from 'pino';

const MAX_SHUTDOWN_MS = 15_000;

/** Ends the process in order on SIGTERM or SIGINT: what is under way finishes, within a bound. */
export function stopOnSignal(log: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const end = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    const late = setTimeout(() => {
      log.error('stopping took too long');
      log.flush(() => process.exit(1));
    }, MAX_SHUTDOWN_MS);
    stop()
      .then(() => log.info('stopped'))
      .catch((cause: unknown) => {
        log.error({ err: cause }, 'stopping failed');
        process.exitCode = 1;
      })
      .finally(() => {
        clearTimeout(late);
        log.flush();
      });
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
}
