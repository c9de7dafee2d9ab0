import type { Operations } from '../../generated/operations.ts';

/** How long an old key works beside a new one. */

export type Overlap = Operations['POST /accounts/{account}/stores/{store}/key']['body']['overlap_hours'];

/** The safe choice comes first. */
export const OVERLAPS: readonly Overlap[] = [24, 1, 168, 0];

const SECONDS_PER_HOUR = 3_600;
const SECONDS_PER_DAY = 86_400;
const MS_PER_SECOND = 1_000;

export const endOf = (overlap: Overlap, nowMs: number): number =>
  Math.floor(nowMs / MS_PER_SECOND) + overlap * SECONDS_PER_HOUR;

/** Whether a key was used in the last day. */
export const isInUse = (lastUsedAt: number | null, nowMs: number): boolean =>
  lastUsedAt !== null && lastUsedAt > nowMs / MS_PER_SECOND - SECONDS_PER_DAY;

/** A key's calls today and yesterday, by UTC days. */
export function recentCalls(days: readonly { day: string; calls: number }[], nowMs: number): number {
  const yesterday = new Date(nowMs - SECONDS_PER_DAY * MS_PER_SECOND).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return days.filter(({ day }) => day >= yesterday).reduce((sum, { calls }) => sum + calls, 0);
}
