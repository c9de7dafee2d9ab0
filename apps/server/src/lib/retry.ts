import { sleep } from './loop.ts';
import { showLife } from './watchdog.ts';

/** Repeats a request until it is answered or its attempts are used up. */
export type RetryOptions = {
  tries: number;
  restMs: number;
  /** Waits between attempts; a test passes a function that does not sleep. */
  rest?: ((ms: number) => Promise<void>) | undefined;
  onFailure: (cause: unknown, tried: number) => void;
};

const NEVER = new AbortController().signal;

export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { rest = (ms: number) => sleep(ms, NEVER) } = options;
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (cause) {
      if (tried >= options.tries) throw cause;
      options.onFailure(cause, tried);
      showLife();
      await rest(options.restMs);
    }
  }
}
