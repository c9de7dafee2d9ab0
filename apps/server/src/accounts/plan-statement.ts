import { HOUR_MS, MINUTE_MS } from '@counterfoil/core/duration.ts';
import type { StatementRow } from '../platforms/statement-source.ts';

/** Chooses the parts of a statement that a poll reads. Times are the platform's, in unix milliseconds. */

export type TimeRange = { fromMs: number; toMs: number };

type StatementPosition = {
  cursorMs: number;
  coveredMs: number;
  isStopped: boolean;
  /** When the last half hour was last read again. */
  overlapReadMs: number | undefined;
  /** The last slice of the day that was read, by the time at which its turn began. */
  dayReadMs: number | undefined;
};

export type StatementPlan = {
  /** Read in every poll: from shortly before the cursor, because rows can appear late, to now. */
  newest: TimeRange;
  /** `newest` extended over the whole last half hour, when that is due. */
  overlap: TimeRange | undefined;
  /** The gap between coverage and `newest`, or its oldest day, for a second read; as often as `overlap`. */
  behind: TimeRange | undefined;
  /** The hour of the last day that is due to be read again. */
  slice: (TimeRange & { turnMs: number }) | undefined;
};

/** How late a row may appear: an invoice expires only after a read that began this long after its end. */
const ROW_DELAY_MS = 2 * MINUTE_MS;
export const OVERLAP_MS = 30 * MINUTE_MS;
const OVERLAP_EVERY_MS = 30_000;
/** A slice is an hour of the last day; in turns, each is read again once an hour. */
const SLICES = 24;
const SLICE_MS = HOUR_MS;
export const TURN_MS = HOUR_MS / SLICES;
/** Longest range of one poll; after an outage, later polls continue. */
const MAX_RANGE_MS = 24 * HOUR_MS;
/** How long coverage waits for an unclear row, by the row's age. */
export const UNCLEAR_WAIT_MS = 12 * HOUR_MS;

const turnAt = (ms: number) => Math.floor(ms / TURN_MS);

/** The slice whose turn was missed first. One per poll: more could use up the quota for the newest rows. */
function dueSlice(dayReadMs: number | undefined, nowMs: number): StatementPlan['slice'] {
  const present = turnAt(nowMs);
  const turn = dayReadMs === undefined ? present : Math.max(turnAt(dayReadMs) + 1, present - SLICES + 1);
  if (turn > present) return undefined;
  const hours = turn % SLICES;
  return { fromMs: nowMs - (hours + 1) * SLICE_MS, toMs: nowMs - hours * SLICE_MS, turnMs: turn * TURN_MS };
}

export function planStatement(position: StatementPosition, nowMs: number): StatementPlan {
  const { cursorMs, coveredMs, isStopped, overlapReadMs, dayReadMs } = position;
  const recentMs = cursorMs - ROW_DELAY_MS;
  // A range far below the cursor is read separately, so that the newest rows never wait for it.
  const isFarBehind = recentMs - coveredMs > OVERLAP_MS;
  const fromMs = isStopped || isFarBehind ? recentMs : Math.min(coveredMs, recentMs);
  const toMs = Math.max(cursorMs, Math.min(nowMs, fromMs + MAX_RANGE_MS));
  const isOverlapDue = overlapReadMs === undefined || nowMs - overlapReadMs >= OVERLAP_EVERY_MS;
  const overlaps = isOverlapDue && nowMs - cursorMs < OVERLAP_MS;
  return {
    newest: { fromMs, toMs },
    overlap: overlaps ? { fromMs: Math.min(fromMs, nowMs - OVERLAP_MS), toMs } : undefined,
    behind:
      isFarBehind && isOverlapDue && !isStopped
        ? { fromMs: coveredMs, toMs: Math.min(fromMs, coveredMs + MAX_RANGE_MS) }
        : undefined,
    slice: dueSlice(dayReadMs, nowMs),
  };
}

/** Coverage waits for an unclear row above it until the row is twelve hours old. */
export function holdsCoverage({ state, atMs }: StatementRow, coveredMs: number, nowMs: number): boolean {
  return state === 'unclear' && atMs > coveredMs && nowMs - atMs < UNCLEAR_WAIT_MS;
}

export type StatementProgress = {
  coveredMs: number;
  cursorMs: number;
  newest: TimeRange;
  /** How much of `behind` was read. */
  behindToMs: number | undefined;
  rows: readonly StatementRow[];
};

/**
 * Coverage after a poll: not past the previous poll's end, a gap in this read, two minutes before this poll began (rows
 * appear late), or an unclear row.
 */
export function coveredAfter(progress: StatementProgress, nowMs: number): number {
  const { coveredMs, cursorMs, newest, behindToMs = coveredMs, rows } = progress;
  const reachedMs = behindToMs >= newest.fromMs ? newest.toMs : behindToMs;
  const unclear = rows.filter((row) => holdsCoverage(row, coveredMs, nowMs)).map(({ atMs }) => atMs - 1);
  return Math.max(coveredMs, Math.min(cursorMs, reachedMs, nowMs - ROW_DELAY_MS, ...unclear));
}
