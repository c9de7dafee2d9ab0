import { expect, test } from 'vitest';
import { followedAccount } from '../../rig/chains/followed-account.ts';
import type { FollowedAccount } from './account-sql.ts';
import type { PollFacts } from './plan-polls.ts';
import { planPolls } from './plan-polls.ts';

const followed = (account: string, change: Partial<FollowedAccount> = {}) => followedAccount({ account, ...change });

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
  exact: false,
};

test('accounts with unchanged balances wait, depending on whether something is open at them; those with changed or unknown balances are read', () => {
  const claimed = [followed('same'), followed('more'), followed('resting', { openUntil: 900 }), followed('silent')];
  const { quiet, due } = planPolls(claimed, facts);
  expect(quiet.open.map(({ account }) => account)).toEqual(['same']);
  expect(quiet.resting.map(({ account }) => account)).toEqual(['resting']);
  expect(due.map(({ followed: { account }, balances, reads }) => [account, balances, reads.first])).toEqual([
    ['more', 'twelve', true],
    ['silent', undefined, true],
  ]);
});
