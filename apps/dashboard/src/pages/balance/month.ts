import { DAY_MS, SECOND_MS } from '@counterfoil/core/duration.ts';

/** Months as `2026-11` in UTC: the server counts fees by UTC days. */

const MONTH_LENGTH = 'YYYY-MM'.length;
const DAY_LENGTH = 'YYYY-MM-DD'.length;

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, DAY_LENGTH);
export const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, MONTH_LENGTH);

const startMs = (month: string) => Date.parse(`${month}-01T00:00:00Z`);

/** Adds months. */
export function moveMonth(month: string, by: number): string {
  const start = new Date(startMs(month));
  return monthOf(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + by, 1));
}

export type MonthSpan = { days: { from: string; to: string }; seconds: { from: number; to: number } };

/** First and last day of a month, and its moments; an unfinished month ends today. */
export function spanOf(month: string, nowMs: number): MonthSpan {
  const from = startMs(month);
  const end = startMs(moveMonth(month, 1));
  const last = Math.min(end - DAY_MS, Math.max(from, nowMs));
  return {
    days: { from: dayOf(from), to: dayOf(last) },
    seconds: { from: from / SECOND_MS, to: end / SECOND_MS },
  };
}

/** The last second of a day, when its fees are known. */
export const endOfDay = (day: string): number => Date.parse(`${day}T23:59:59Z`) / SECOND_MS;
