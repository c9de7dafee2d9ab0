import { retry } from '../../src/lib/retry.ts';

const REST_MS = 100;
const MAX_TRIES = 300;

/** Repeats `work` while the database is away, for up to half a minute. The work must do no harm when it is done twice. */
export function retryWhileAway<T>(work: () => Promise<T>): Promise<T> {
  return retry(work, { tries: MAX_TRIES, restMs: REST_MS, onFailure: () => {} });
}
