import type { Range } from './span.ts';
import { addDays, dayOf, RANGE_DAYS } from './span.ts';

/** Which days the first page asks for. Pure but for the clock. */

/** The most stores whose days are added up here: each is a request of its own. */
export const MAX_ADDED = 12;

/** A single day makes no chart, so today is shown beside the six days before. */
const CHART_DAYS: Readonly<Record<Range, number>> = { today: 7, week: 7, month: 30 };

type RangeSpan = {
  today: string;
  /** The first day of the range. */
  from: string;
  /** As many days before it. */
  before: { from: string; to: string };
  /** The first day of the chart. */
  chartFrom: string;
  /** The first day that is asked for: one question serves range, chart and comparison. */
  start: string;
};

export function spanOfRange(range: Range, nowMs = Date.now()): RangeSpan {
  const today = dayOf(nowMs);
  const from = addDays(today, 1 - RANGE_DAYS[range]);
  const before = { from: addDays(from, -RANGE_DAYS[range]), to: addDays(from, -1) };
  const chartFrom = addDays(today, 1 - CHART_DAYS[range]);
  return { today, from, before, chartFrom, start: before.from < chartFrom ? before.from : chartFrom };
}
