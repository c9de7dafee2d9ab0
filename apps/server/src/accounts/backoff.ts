import { SourceError } from '../sources/chain-source.ts';

const MAX_BACKOFF_MS = 60_000;
const MAX_DOUBLINGS = 10;

/**
 * Wait after a failed poll: doubled by each failure, at least as long as the source asks, at most a minute. The
 * source's wait is in the time of a clock that may run at `rate`.
 */
export function backoffMs(pollMs: number, failures: number, cause: unknown, rate = 1): number {
  const askedMs = cause instanceof SourceError ? (cause.retryAfterMs ?? 0) / rate : 0;
  return Math.min(MAX_BACKOFF_MS, Math.max(askedMs, pollMs * 2 ** Math.min(failures, MAX_DOUBLINGS)));
}
