import { once } from 'node:events';
import { NO_PRICES } from '../fakes/price-servers.ts';
import { startWorker } from './server-process.ts';

const DEATH_TIMEOUT_MS = 300_000;

/** Starts a real worker process that kills itself at a failpoint, as by `kill -9`; returns when the worker is dead. */
export async function killWorkerAt(
  databaseUrl: string,
  failpoint: string,
  settings: Record<string, string>,
): Promise<void> {
  const started = startWorker(databaseUrl, {
    COUNTERFOIL_FAILPOINT: failpoint,
    COUNTERFOIL_POLL_MS: '50',
    COUNTERFOIL_LOG_LEVEL: 'error',
    ...NO_PRICES,
    ...settings,
  });
  const worker = await started.catch((cause: unknown) => {
    // A failed start is no error when the worker reached the failpoint, and was killed, before it could report that it
    // works.
    if (/exit code null/.test(String(cause))) return undefined;
    throw cause;
  });
  if (!worker || worker.child.signalCode !== null) return;
  const dead = once(worker.child, 'exit', { signal: AbortSignal.timeout(DEATH_TIMEOUT_MS) });
  const [, signal] = (await dead.catch(() => [])) as [number?, string?];
  if (signal === 'SIGKILL') return;
  await worker.stop();
  throw new Error(`The worker did not die at ${failpoint}: ${worker.output()}`);
}
