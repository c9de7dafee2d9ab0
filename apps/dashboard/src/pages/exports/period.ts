import { SECOND_MS } from '@counterfoil/core/duration.ts';

/** Export periods in UTC, as the balance statement counts months and days. */

export const PERIODS = ['month', 'lastMonth', 'days30', 'all', 'own'] as const;
export type Period = (typeof PERIODS)[number];

const DAYS = 30;

const seconds = (date: Date) => Math.floor(date.getTime() / SECOND_MS);

type Span = { from?: number; to?: number };

/** The moment in UTC of a field such as `2026-11-17T09:30`; undefined when empty. */
export function momentOf(text: string): number | undefined {
  const ms = Date.parse(`${text}Z`);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / SECOND_MS);
}

/** First moment of a period, and the first after it. */
export function spanOf(period: Exclude<Period, 'own'>, now: Date): Span {
  const monthStart = (by: number) => seconds(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + by, 1)));
  switch (period) {
    case 'month':
      return { from: monthStart(0) };
    case 'lastMonth':
      return { from: monthStart(-1), to: monthStart(0) };
    case 'days30':
      return { from: seconds(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - DAYS))) };
    case 'all':
      return {};
  }
}
