import { sleep } from './loop.ts';
import { showLife } from './watchdog.ts';

/** Repeats a request to something that may be away for a moment, until it answers or the tries are used up. */
export type RetryOptions = { tries: number; restMs: number; onFailure: (cause: unknown, tried: number) => void };

export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (cause) {
      if (tried >= options.tries) throw cause;
      options.onFailure(cause, tried);
      showLife();
      await sleep(options.restMs, new AbortController().signal);
    }
  }
}
