/** Which parts of an exchange account's statement a poll reads. Pure. Times are the platform's, in unix milliseconds. */

export type TimeRange = { fromMs: number; toMs: number };

type StatementPosition = {
  /** The platform's time up to which the statement has been read at least once. */
  cursorMs: number;
  /** Up to where the statement is covered. */
  coveredMs: number;
  /** When the last half hour, and a slice of the last day, were read again; undefined when they never were. */
  overlapReadMs: number | undefined;
  dayReadMs: number | undefined;
};

type StatementPlan = {
  /** Range to read in every poll: from shortly before the cursor, because rows can appear late, to the platform's present. */
  newest: TimeRange;
  /** Reads a part of the last day again. */
  slice: TimeRange | undefined;
  /** Whether `newest` holds the whole last half hour. */
  overlaps: boolean;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Rows may appear after their own time: an invoice does not expire before a read that came so much later than its end. */
const ROW_DELAY_MS = 2 * MINUTE_MS;
const OVERLAP_MS = 30 * MINUTE_MS;
const OVERLAP_EVERY_MS = 30_000;
/** A slice is an hour of the last day. They have turns, one after another: each is read again once an hour. */
const SLICES = 24;
const SLICE_MS = HOUR_MS;
const TURN_MS = HOUR_MS / SLICES;
/** The longest range of one poll; after an outage, later polls read on. */
const MAX_RANGE_MS = 24 * HOUR_MS;

const turnAt = (ms: number) => Math.floor(ms / TURN_MS);

/** The slices whose turn came since one was read last, as one range. Polls may be rarer than turns. */
function dueSlices(dayReadMs: number | undefined, nowMs: number): TimeRange | undefined {
  const present = turnAt(nowMs);
  const first = dayReadMs === undefined ? present : turnAt(dayReadMs) + 1;
  if (first > present) return undefined;
  const [from, to] = [first % SLICES, present % SLICES];
  const isWhole = present - first >= SLICES || from > to;
  const [newest, oldest] = isWhole ? [0, SLICES - 1] : [from, to];
  return { fromMs: nowMs - (oldest + 1) * SLICE_MS, toMs: nowMs - newest * SLICE_MS };
}

export function planStatement(position: StatementPosition, nowMs: number): StatementPlan {
  const { cursorMs, coveredMs, overlapReadMs, dayReadMs } = position;
  const isOverlapDue = overlapReadMs === undefined || nowMs - overlapReadMs >= OVERLAP_EVERY_MS;
  const recentMs = Math.min(coveredMs, cursorMs - ROW_DELAY_MS);
  const overlaps = isOverlapDue && nowMs - cursorMs < OVERLAP_MS;
  const fromMs = overlaps ? Math.min(recentMs, nowMs - OVERLAP_MS) : recentMs;
  const newest = { fromMs, toMs: Math.max(cursorMs, Math.min(nowMs, fromMs + MAX_RANGE_MS)) };
  return { newest, slice: dueSlices(dayReadMs, nowMs), overlaps };
}

/**
 * Up to where a statement is covered after a poll: the poll before it has ended there, and this one began long enough
 * afterwards for a late row to have appeared.
 */
export function coveredAfter(cursorMs: number, readToMs: number, nowMs: number): number {
  return Math.min(cursorMs, readToMs, nowMs - ROW_DELAY_MS);
}
