import type { StatementRow } from '../platforms/statement-source.ts';

/** Which parts of an exchange account's statement a poll reads. Pure. Times are the platform's, in unix milliseconds. */

export type TimeRange = { fromMs: number; toMs: number };

type StatementPosition = {
  /** The platform's time up to which the statement has been read at least once. */
  cursorMs: number;
  /** Up to where the statement is covered. */
  coveredMs: number;
  /** Whether the exchange account is stopped: its coverage does not move. */
  isStopped: boolean;
  /** When the last half hour was read again; undefined when it never was. */
  overlapReadMs: number | undefined;
  /**
   * The slice of the last day that was read last, given as the time at which its turn began; undefined when none was
   * read.
   */
  dayReadMs: number | undefined;
};

export type StatementPlan = {
  /** Range to read in every poll: from shortly before the cursor, because rows can appear late, to the platform's present. */
  newest: TimeRange;
  /** `newest` extended back over the whole last half hour, when that is due to be read again. */
  overlap: TimeRange | undefined;
  /**
   * The range between coverage and `newest`, or its oldest day, which is read a second time. Only planned where
   * coverage is far behind the cursor, and as often as `overlap`.
   */
  behind: TimeRange | undefined;
  /** The hour of the last day that is due to be read again. */
  slice: (TimeRange & { turnMs: number }) | undefined;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * How late a row may appear after its own time: an invoice expires only after a read that began so much later than the
 * invoice's end.
 */
const ROW_DELAY_MS = 2 * MINUTE_MS;
export const OVERLAP_MS = 30 * MINUTE_MS;
const OVERLAP_EVERY_MS = 30_000;
/** A slice is one hour of the last day. Slices take turns, so that each slice is read again once an hour. */
const SLICES = 24;
const SLICE_MS = HOUR_MS;
export const TURN_MS = HOUR_MS / SLICES;
/** The longest range of one poll; after an outage, later polls read on. */
const MAX_RANGE_MS = 24 * HOUR_MS;
/** The longest time that coverage waits for an unclear row, by the row's age. */
export const UNCLEAR_WAIT_MS = 12 * HOUR_MS;

const turnAt = (ms: number) => Math.floor(ms / TURN_MS);

/**
 * The slice to read now: the one whose turn was missed first within the last hour. A poll reads one slice only: more
 * could use up the quota of an exchange account with many rows, and then its newest rows could not be read either.
 */
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

/** Whether coverage waits for a row: an unclear one above coverage does, until the row is twelve hours old. */
export function holdsCoverage({ state, atMs }: StatementRow, coveredMs: number, nowMs: number): boolean {
  return state === 'unclear' && atMs > coveredMs && nowMs - atMs < UNCLEAR_WAIT_MS;
}

export type StatementProgress = {
  coveredMs: number;
  cursorMs: number;
  /** The part of the newest range that was read. */
  newest: TimeRange;
  /**
   * Up to where `behind`, the range between coverage and the newest range, was read; undefined when none of it was
   * read.
   */
  behindToMs: number | undefined;
  rows: readonly StatementRow[];
};

/**
 * Up to where a statement is covered after a poll: not past the end of the previous poll, not past what this poll has
 * read without a gap, not past two minutes before this poll began (because rows appear late), and not past an unclear
 * row.
 */
export function coveredAfter(progress: StatementProgress, nowMs: number): number {
  const { coveredMs, cursorMs, newest, behindToMs = coveredMs, rows } = progress;
  const reachedMs = behindToMs >= newest.fromMs ? newest.toMs : behindToMs;
  const unclear = rows.filter((row) => holdsCoverage(row, coveredMs, nowMs)).map(({ atMs }) => atMs - 1);
  return Math.max(coveredMs, Math.min(cursorMs, reachedMs, nowMs - ROW_DELAY_MS, ...unclear));
}
