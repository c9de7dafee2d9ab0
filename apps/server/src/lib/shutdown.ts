import type { Logger } from 'pino';
import { becomeExit } from './become-exit.ts';
import { sleep } from './loop.ts';

const MAX_SHUTDOWN_MS = 15_000;
const MAX_FLUSH_MS = 1_000;

/** Buffered log lines are written only if that is quick. */
export function exitWith(log: Logger, code: number): void {
  setTimeout(becomeExit, MAX_FLUSH_MS, code);
  log.flush(() => process.exit(code));
}

/** How long a server serves after it announced its stop, so that load balancers route around it. */
type Drain = { announce: () => void; ms: number };

const AT_ONCE: Drain = { announce: () => {}, ms: 0 };

/** Stops on SIGTERM or SIGINT: drains (a second signal ends that), then finishes work within a time limit. */
export function stopOnSignal(log: Logger, stop: () => Promise<void>, drain = AT_ONCE): void {
  const drained = new AbortController();
  let stopping = false;
  const end = async (signal: NodeJS.Signals) => {
    if (stopping) return drained.abort();
    stopping = true;
    log.info({ signal }, 'stopping');
    drain.announce();
    if (drain.ms > 0) await sleep(drain.ms, drained.signal);
    const late = setTimeout(() => {
      log.error('stopping took too long');
      exitWith(log, 1);
    }, MAX_SHUTDOWN_MS);
    await stop()
      .then(() => log.info('stopped'))
      .catch((cause: unknown) => {
        log.error({ err: cause }, 'stopping failed');
        process.exitCode = 1;
      })
      .finally(() => {
        // The final timer remains but does not keep the process alive: a socket with a dead peer would otherwise delay
        // the end for minutes.
        late.unref();
        const unwritten = setTimeout(becomeExit, MAX_FLUSH_MS, Number(process.exitCode ?? 0)).unref();
        log.flush(() => clearTimeout(unwritten));
      });
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end(signal));
}
