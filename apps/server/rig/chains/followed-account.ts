import type { FollowedAccount } from '../../src/accounts/account-sql.ts';

/**
 * A followed account whose cursor is at height 100 (time 1,000 s), read a moment ago, and whose coverage is at height
 * 90.
 */
export function followedAccount(change: Partial<FollowedAccount> = {}): FollowedAccount {
  return {
    account: 'a',
    state: 'following',
    startAt: 0,
    openUntil: 10_000,
    cursor: { height: 100, time: 1_000, ageSeconds: 1 },
    earlier: undefined,
    readBy: 'first',
    version: 1n,
    covered: { height: 90, time: 990 },
    unproven: undefined,
    coverLimit: undefined,
    retryDue: false,
    unread: [],
    failures: 0,
    missingSinceMs: undefined,
    ...change,
  };
}
