import { expect, test } from 'vitest';
import type { FollowedAccount } from './account-sql.ts';
import type { PollFacts } from './plan-polls.ts';
import { planPolls } from './plan-polls.ts';

/** Read and covered a moment ago. */
const followed = (account: string, change: Partial<FollowedAccount> = {}): FollowedAccount => ({
  account,
  state: 'following',
  startAt: 0,
  openUntil: 10_000,
  cursor: { height: 100, time: 1_000, ageSeconds: 1 },
  earlier: undefined,
  readBy: 'first',
  version: 1n,
  covered: { height: 99, time: 999 },
  unproven: undefined,
  coverLimit: undefined,
  retryDue: false,
  unread: [],
  failures: 0,
  missingSinceMs: undefined,
  ...change,
});

const facts: PollFacts = {
  balances: new Map([
    ['same', 'ten'],
    ['more', 'twelve'],
    ['resting', 'ten'],
  ]),
  known: new Map(['same', 'more', 'resting'].map((account) => [account, { balances: 'ten', unexplainedPolls: null }])),
  ends: new Map(),
  finalized: { height: 99, time: 999 },
  coverSeconds: { open: 90, resting: 600 },
  ageSeconds: 15,
  providers: ['first'],
};

test('accounts that hold what they held wait, by whether something is open at them; those that changed or say nothing are read', () => {
  const claimed = [followed('same'), followed('more'), followed('resting', { openUntil: 900 }), followed('silent')];
  const { quiet, due } = planPolls(claimed, facts);
  expect(quiet.open.map(({ account }) => account)).toEqual(['same']);
  expect(quiet.resting.map(({ account }) => account)).toEqual(['resting']);
  expect(due.map(({ followed: { account }, balances, reads }) => [account, balances, reads.first])).toEqual([
    ['more', 'twelve', true],
    ['silent', undefined, true],
  ]);
});
