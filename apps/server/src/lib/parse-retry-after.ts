const SECONDS = /^\d{1,9}$/;
/** HTTP dates begin with a weekday; some servers send ISO dates. */
const DATE = /^(?:[A-Z][a-z]+,? |\d{4}-\d\d-\d\dT)/;

/** Milliseconds of a Retry-After header, from 0 to `maxMs`; undefined when malformed. A date is relative to `nowMs`. */
export function parseRetryAfter(header: string, nowMs: number, maxMs: number): number | undefined {
  const text = header.trim();
  if (SECONDS.test(text)) return Math.min(Number(text) * 1_000, maxMs);
  const askedMs = DATE.test(text) ? Date.parse(text) - nowMs : Number.NaN;
  return Number.isNaN(askedMs) ? undefined : Math.min(Math.max(0, askedMs), maxMs);
}
