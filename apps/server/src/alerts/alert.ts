import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@counterfoil/core/duration.ts';
import type { AlarmKind, StateKind } from '../audit/alarm.ts';

/** Alerts: messages to the operator about alarms of one kind. Pure. */

export type AlertChannel = 'email' | 'url';
type AlertPhase = 'raised' | 'over';

export type Alert = {
  id: bigint;
  kind: AlarmKind;
  channel: AlertChannel;
  phase: AlertPhase;
  /** Start of the hour that the alert covers. */
  hour: Date;
  alarms: number;
  /** Subjects of the newest of these alarms. */
  subjects: readonly string[];
  createdAt: Date;
};

/** Start of the UTC hour that contains a moment. */
export function hourOf(ms: number): Date {
  return new Date(Math.floor(ms / HOUR_MS) * HOUR_MS);
}

/**
 * State kinds whose alarm is repeated while its cause lasts, with the hours without another alarm after which the state
 * is over: longer than the time between two repetitions.
 */
export const QUIET_HOURS = {
  'doctor-found': 26,
  'exchange-account-silent': 2,
  'jobs-off': 26,
  'password-spraying': 8,
  'rate-unavailable': 2,
  'slots-exhausted': 2,
} as const satisfies Partial<Record<StateKind, number>>;

export function quietSince(kind: keyof typeof QUIET_HOURS, nowMs: number): Date {
  return new Date(nowMs - QUIET_HOURS[kind] * HOUR_MS);
}

/** The alarms and earlier alerts of one kind that `nextAlert` decides from. */
export type AlertFacts = {
  /** Whether alarms are unacknowledged that no alert has reported. */
  hasFresh: boolean;
  lastPhase: AlertPhase | null;
  raisedThisHour: boolean;
  overThisHour: boolean;
};

export type NextAlert = 'raised' | 'over-unless-it-lasts' | 'none';

/**
 * The alert that a kind needs. An alarm that comes in the hour of an alert waits for the next hour, and no kind is
 * reported as over while such an alarm waits.
 */
export function nextAlert({ hasFresh, lastPhase, raisedThisHour, overThisHour }: AlertFacts): NextAlert {
  if (hasFresh) return raisedThisHour ? 'none' : 'raised';
  return lastPhase === 'raised' && !overThisHour ? 'over-unless-it-lasts' : 'none';
}

/** Delays from one attempt to the next: twelve attempts within eleven hours. */
const RETRY_DELAYS_MS = [
  10 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  HOUR_MS,
  2 * HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
] as const;

export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 1;
/** No alert waits longer for its next attempt, unless the clock was ahead when it was postponed. */
export const LONGEST_DELAY_MS = Math.max(...RETRY_DELAYS_MS);

/** When an alert is sent again after attempt number `attempts` failed; undefined after the last one. */
export function nextAttemptAt(attempts: number, nowMs: number): Date | undefined {
  const delayMs = RETRY_DELAYS_MS[attempts - 1];
  return delayMs === undefined ? undefined : new Date(nowMs + delayMs);
}
