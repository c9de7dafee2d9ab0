import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@counterfoil/core/duration.ts';
import { parseRetryAfter } from '../lib/parse-retry-after.ts';
import type { EventType } from '@counterfoil/core/event-type.ts';

/** When a delivery is retried, and when it has ended. */

/** Twelve attempts over seven days. The first one is immediate. */
export const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  24 * HOUR_MS,
  24 * HOUR_MS,
  48 * HOUR_MS,
  48 * HOUR_MS,
] as const;

export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 1;
/** A user waits for a test event's outcome, and sends another after fixing the receiver. */
const MAX_TEST_ATTEMPTS = 3;
const JITTER_PERCENT = 10;
const MAX_RETRY_AFTER_MS = 48 * HOUR_MS;
const GONE = 410;

/** An attempt's end, with or without an answer. */
export type AttemptOutcome = { status: number; retryAfter?: string | undefined } | { error: string };

export type NextStep = { state: 'delivered' } | { state: 'failed' } | { state: 'pending'; nextAttemptAtMs: number };

function succeeded(outcome: AttemptOutcome): boolean {
  return 'status' in outcome && outcome.status >= 200 && outcome.status < 300;
}

/** From Retry-After; 0 when missing or malformed. */
function askedDelayMs(outcome: AttemptOutcome, nowMs: number): number {
  const header = 'status' in outcome ? (outcome.retryAfter ?? '') : '';
  return parseRetryAfter(header, nowMs, MAX_RETRY_AFTER_MS) ?? 0;
}

/** Until when the receiver requested no further attempt, if so. */
export function quietUntilMs(outcome: AttemptOutcome, nowMs: number): number | null {
  const asked = askedDelayMs(outcome, nowMs);
  return asked > 0 ? nowMs + asked : null;
}

export function maxAttemptsOf(type: EventType): number {
  return type === 'webhook.test' ? MAX_TEST_ATTEMPTS : MAX_ATTEMPTS;
}

/** Plans what follows an attempt. `attempts` includes this one; `random` is in [0, 1). */
export function planNext(
  attempts: number,
  outcome: AttemptOutcome,
  nowMs: number,
  random: number,
  maxAttempts = MAX_ATTEMPTS,
): NextStep {
  if (succeeded(outcome)) return { state: 'delivered' };
  if ('status' in outcome && outcome.status === GONE) return { state: 'failed' };
  const delayMs = RETRY_DELAYS_MS[attempts - 1];
  if (delayMs === undefined || attempts >= maxAttempts) return { state: 'failed' };
  const jitter = 1 + ((2 * random - 1) * JITTER_PERCENT) / 100;
  const asked = askedDelayMs(outcome, nowMs);
  return { state: 'pending', nextAttemptAtMs: nowMs + Math.max(asked, Math.round(delayMs * jitter)) };
}
