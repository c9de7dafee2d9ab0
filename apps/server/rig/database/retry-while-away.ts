import { retry } from '../../src/lib/retry.ts';

const REST_MS = 100;
const MAX_TRIES = 300;

/** Repeats `work` while the database is away, for up to half a minute. `work` must be safe to repeat. */
export function retryWhileAway<T>(work: () => Promise<T>): Promise<T> {
  return retry(work, { tries: MAX_TRIES, restMs: REST_MS, onFailure: () => {} });
}
