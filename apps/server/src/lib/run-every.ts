import type { Logger } from 'pino';

/** Runs `work` every `intervalMs`, never concurrently; failures are logged. */
export function runEvery(intervalMs: number, log: Logger, work: () => Promise<void>): { stop(): void } {
  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    work()
      .catch((cause: unknown) => log.error({ err: cause }, 'repeated work failed'))
      .finally(() => {
        running = false;
      });
  }, intervalMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
