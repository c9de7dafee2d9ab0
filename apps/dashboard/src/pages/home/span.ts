import { DAY_MS, SECOND_MS } from '@counterfoil/core/duration.ts';

/** Periods of the first page. The server counts UTC days, so they start and end there. */

export const RANGES = ['today', 'week', 'month'] as const;
export type Range = (typeof RANGES)[number];

export const RANGE_DAYS: Readonly<Record<Range, number>> = { today: 1, week: 7, month: 30 };

const DAY_LENGTH = 10;

export const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, DAY_LENGTH);

export const addDays = (day: string, count: number): string => dayOf(Date.parse(day) + count * DAY_MS);

/** Days from one to another, inclusive, oldest first. */
export function daysBetween(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_none, index) => addDays(from, index));
}

/** Start and end of a period in Unix seconds, for lists. */
export const momentsOf = (from: string, to: string): { from: number; to: number } => ({
  from: Date.parse(from) / SECOND_MS,
  to: Date.parse(addDays(to, 1)) / SECOND_MS,
});
