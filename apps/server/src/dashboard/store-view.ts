import { unixSeconds } from '../lib/clock.ts';
import type { ListedApiKey } from '../stores/api-key-sql.ts';

/** Stores and keys as the dashboard shows them. */

const KEY_START = { true: 'cf_live_', false: 'cf_test_' };

/** A recognisable API key: prefix and last characters. */
export const shortKey = (live: boolean, hint: string): string => `${KEY_START[`${live}`]}····${hint}`;

/** Whether a key or secret has no end, a future end, or has ended. */
export function standingOf(endsAt: Date | null, nowMs: number): 'current' | 'ending' | 'ended' {
  if (endsAt === null) return 'current';
  return endsAt.getTime() > nowMs ? 'ending' : 'ended';
}

export function viewApiKey({ hint, createdAt, endsAt, days }: ListedApiKey, live: boolean, nowMs: number) {
  const [newest] = days;
  return {
    api_key_hint: shortKey(live, hint),
    state: standingOf(endsAt, nowMs),
    created_at: unixSeconds(createdAt),
    ends_at: endsAt && unixSeconds(endsAt),
    last_used_at: newest ? unixSeconds(new Date(newest.lastUsedAt)) : null,
    days: days.map(({ day, calls }) => ({ day, calls })),
  };
}
