import type { Range } from './span.ts';
import { addDays, dayOf, RANGE_DAYS } from './span.ts';

/** Which days the first page requests. */

/** Most stores whose days are added: each is one request. */
export const MAX_ADDED = 12;

/** One day makes no chart, so today is shown with the six days before. */
const CHART_DAYS: Readonly<Record<Range, number>> = { today: 7, week: 7, month: 30 };

type RangeSpan = {
  today: string;
  from: string;
  /** The same number of days before. */
  before: { from: string; to: string };
  chartFrom: string;
  /** The first requested day: one request serves period, chart and comparison. */
  start: string;
};

export function spanOfRange(range: Range, nowMs = Date.now()): RangeSpan {
  const today = dayOf(nowMs);
  const from = addDays(today, 1 - RANGE_DAYS[range]);
  const before = { from: addDays(from, -RANGE_DAYS[range]), to: addDays(from, -1) };
  const chartFrom = addDays(today, 1 - CHART_DAYS[range]);
  return { today, from, before, chartFrom, start: before.from < chartFrom ? before.from : chartFrom };
}
