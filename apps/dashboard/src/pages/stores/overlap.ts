import { DAY_SECONDS, HOUR_SECONDS, SECOND_MS } from '@counterfoil/core/duration.ts';
import type { Operations } from '../../generated/operations.ts';

/** How long an old key works beside a new one. */

export type Overlap = Operations['POST /accounts/{account}/stores/{store}/key']['body']['overlap_hours'];

/** The safe choice comes first. */
export const OVERLAPS: readonly Overlap[] = [24, 1, 168, 0];

export const endOf = (overlap: Overlap, nowMs: number): number =>
  Math.floor(nowMs / SECOND_MS) + overlap * HOUR_SECONDS;

/** Whether a key was used in the last day. */
export const isInUse = (lastUsedAt: number | null, nowMs: number): boolean =>
  lastUsedAt !== null && lastUsedAt > nowMs / SECOND_MS - DAY_SECONDS;

/** A key's calls today and yesterday, by UTC days. */
export function recentCalls(days: readonly { day: string; calls: number }[], nowMs: number): number {
  const yesterday = new Date(nowMs - DAY_SECONDS * SECOND_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return days.filter(({ day }) => day >= yesterday).reduce((sum, { calls }) => sum + calls, 0);
}
