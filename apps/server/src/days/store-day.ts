/** Days as figures are kept for them: UTC days, written as `2026-11-17`. Pure. */

const MS_PER_DAY = 86_400_000;
const MS_PER_MINUTE = 60_000;
const MS_PER_HOUR = 3_600_000;

/** How often the figures of today are counted, and those of yesterday just after midnight. */
const FRESH_MS = MS_PER_MINUTE;
/** How often the figures of yesterday are counted afterwards. */
const SETTLED_MS = MS_PER_HOUR;
/** How long after midnight yesterday's figures may still change by what was committed late. */
const AFTER_MIDNIGHT_MS = MS_PER_HOUR;
/** A count rests at least this many times as long as it took, so that it never takes more of the database than that. */
const REST_FACTOR = 20;
/** How many days back an installation that has never counted begins. */
const MAX_DAYS_BACK = 400;

export const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`);

export const addDays = (day: string, count: number): string => dayOf(startOfDay(day) + count * MS_PER_DAY);

export type CountedDay = { day: string; countedAtMs: number; tookMs: number; closed: boolean };

/** A day to count, and whether it is counted for the last time. */
export type DueDay = { day: string; closes: boolean };

type CountingFacts = {
  nowMs: number;
  /** The newest days up to today that were counted, in order. */
  counted: readonly CountedDay[];
  /** The day of the first invoice; undefined where there is none. */
  firstDay: string | undefined;
};

/** Whether a day is due again. A count from the future was made by a clock that was ahead, and says as little as an old one. */
function isDue({ countedAtMs, tookMs }: CountedDay, everyMs: number, nowMs: number): boolean {
  return Math.abs(nowMs - countedAtMs) >= Math.max(everyMs, tookMs * REST_FACTOR);
}

/** The first day that was never counted, at most today: days are counted one after another. */
function firstUncounted({ counted, firstDay, nowMs }: CountingFacts): string {
  const today = dayOf(nowMs);
  const last = counted.at(-1)?.day;
  if (last !== undefined) return last < today ? addDays(last, 1) : today;
  const oldest = addDays(today, -MAX_DAYS_BACK);
  if (firstDay === undefined || firstDay > today) return today;
  return firstDay < oldest ? oldest : firstDay;
}

/**
 * Which day to count next; undefined when none is due. Days before yesterday are counted once more and closed: nothing
 * is added to them any more, because an invoice that is paid late counts on the day of its completion. Today and
 * yesterday are counted even if a clock that was ahead has closed them.
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
