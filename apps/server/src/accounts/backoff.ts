import { SourceError } from '../sources/chain-source.ts';

const MAX_BACKOFF_MS = 60_000;
const MAX_DOUBLINGS = 10;

/** Milliseconds to wait after a failed poll: doubled by each failure, and at least as long as the source asked for. */
export function backoffMs(pollMs: number, failures: number, cause: unknown): number {
  const asked = cause instanceof SourceError ? (cause.retryAfterMs ?? 0) : 0;
  return Math.min(MAX_BACKOFF_MS, Math.max(asked, pollMs * 2 ** Math.min(failures, MAX_DOUBLINGS)));
}
