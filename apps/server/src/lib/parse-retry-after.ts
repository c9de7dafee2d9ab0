const SECONDS = /^\d{1,9}$/;
/** The beginning of a date: dates of HTTP begin with a weekday, and some servers write ISO dates. */
const DATE = /^(?:[A-Z][a-z]+,? |\d{4}-\d\d-\d\dT)/;

/**
 * The time in milliseconds that a Retry-After header asks for, from 0 to `maxMs`; undefined when the header holds
 * neither seconds nor a date. A date is counted from `nowMs`.
 */
export function parseRetryAfter(header: string, nowMs: number, maxMs: number): number | undefined {
  const text = header.trim();
  if (SECONDS.test(text)) return Math.min(Number(text) * 1_000, maxMs);
  const askedMs = DATE.test(text) ? Date.parse(text) - nowMs : Number.NaN;
  return Number.isNaN(askedMs) ? undefined : Math.min(Math.max(0, askedMs), maxMs);
}
