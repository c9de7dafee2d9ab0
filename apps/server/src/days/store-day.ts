import { DAY_MS, HOUR_MS, MINUTE_MS } from '@counterfoil/core/duration.ts';

/** UTC days, written as `2026-11-17`. */

/** Interval for today, and for yesterday just after midnight. */
const FRESH_MS = MINUTE_MS;
/** Interval for yesterday afterwards. */
const SETTLED_MS = HOUR_MS;
/** How long after midnight late commits may change yesterday's figures. */
const AFTER_MIDNIGHT_MS = HOUR_MS;
/** Pause after a count, as a multiple of its duration: bounds the load on the database. */
const REST_FACTOR = 20;
/** How far back a new installation counts. */
const MAX_DAYS_BACK = 400;

export const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`);

export const addDays = (day: string, count: number): string => dayOf(startOfDay(day) + count * DAY_MS);

export type CountedDay = { day: string; countedAtMs: number; tookMs: number; closed: boolean };

/** A day to count, and whether for the last time. */
export type DueDay = { day: string; closes: boolean };

type CountingFacts = {
  nowMs: number;
  counted: readonly CountedDay[];
  firstDay: string | undefined;
};

/** Whether a day is due. A count from the future came from a clock that was ahead, and counts as old. */
function isDue({ countedAtMs, tookMs }: CountedDay, everyMs: number, nowMs: number): boolean {
  return Math.abs(nowMs - countedAtMs) >= Math.max(everyMs, tookMs * REST_FACTOR);
}

/** The first uncounted day, at most today: days are counted in order. */
function firstUncounted({ counted, firstDay, nowMs }: CountingFacts): string {
  const today = dayOf(nowMs);
  const last = counted.at(-1)?.day;
  if (last !== undefined) return last < today ? addDays(last, 1) : today;
  const oldest = addDays(today, -MAX_DAYS_BACK);
  if (firstDay === undefined || firstDay > today) return today;
  return firstDay < oldest ? oldest : firstDay;
}

/**
 * The next day to count, if due. Days before yesterday are counted again and closed: a late payment counts on the day
 * of completion, so they no longer change. Today and yesterday are counted even if a clock that was ahead has closed
 * them.
 */
export function findDueDay(facts: CountingFacts): DueDay | undefined {
  const { nowMs, counted } = facts;
  const today = dayOf(nowMs);
  const yesterday = addDays(today, -1);
  const old = counted.find(({ day, closed }) => !closed && day < yesterday);
  if (old) return { day: old.day, closes: true };
  const next = firstUncounted(facts);
  if (next < today) return { day: next, closes: next < yesterday };
  const afterMidnightMs = nowMs - startOfDay(today);
  const everyMs = afterMidnightMs < AFTER_MIDNIGHT_MS ? FRESH_MS : SETTLED_MS;
  const before = counted.find(({ day }) => day === yesterday);
  if (before && isDue(before, everyMs, nowMs)) return { day: yesterday, closes: false };
  const present = counted.find(({ day }) => day === today);
  return !present || isDue(present, FRESH_MS, nowMs) ? { day: today, closes: false } : undefined;
}
