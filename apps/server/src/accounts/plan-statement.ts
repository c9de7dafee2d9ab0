/** Which parts of an exchange account's statement a poll reads. Pure. Times are the platform's, in unix milliseconds. */

export type TimeRange = { fromMs: number; toMs: number };

export type StatementPosition = {
  /** Where the newest read of every poll so far has ended. */
  cursorMs: number;
  /** Up to where the statement is covered. */
  coveredMs: number;
  /** When the last half hour, and a slice of the last day, were read again; undefined when they never were. */
  overlapReadMs: number | undefined;
  dayReadMs: number | undefined;
};

export type StatementPlan = {
  /** Reads on from the cursor, and again what lies shortly before it. */
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
const SLICES = 24;
const SLICE_MS = HOUR_MS;
/** One slice after another: each is read again once an hour. */
const SLICE_EVERY_MS = HOUR_MS / SLICES;
/** The longest range of one poll; after an outage, later polls read on. */
const MAX_RANGE_MS = 24 * HOUR_MS;

export function planStatement(position: StatementPosition, nowMs: number): StatementPlan {
  const { cursorMs, coveredMs, overlapReadMs, dayReadMs } = position;
  const isDue = (readMs: number | undefined, everyMs: number) => readMs === undefined || nowMs - readMs >= everyMs;
  const recentMs = Math.min(coveredMs, cursorMs - ROW_DELAY_MS);
  const overlaps = isDue(overlapReadMs, OVERLAP_EVERY_MS) && nowMs - cursorMs < OVERLAP_MS;
  const fromMs = overlaps ? Math.min(recentMs, nowMs - OVERLAP_MS) : recentMs;
  const newest = { fromMs, toMs: Math.max(cursorMs, Math.min(nowMs, fromMs + MAX_RANGE_MS)) };
  if (!isDue(dayReadMs, SLICE_EVERY_MS)) return { newest, slice: undefined, overlaps };
  const place = Math.floor(nowMs / SLICE_EVERY_MS) % SLICES;
  const toMs = nowMs - place * SLICE_MS;
  return { newest, slice: { fromMs: toMs - SLICE_MS, toMs }, overlaps };
}

/**
 * Up to where a statement is covered after a poll: the poll before it has ended there, and this one began long enough
 * afterwards for a late row to have appeared.
 */
export function coveredAfter(cursorMs: number, readToMs: number, nowMs: number): number {
  return Math.min(cursorMs, readToMs, nowMs - ROW_DELAY_MS);
}
