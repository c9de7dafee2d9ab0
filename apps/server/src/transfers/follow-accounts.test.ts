import { expect, test } from 'vitest';
import type { FollowedAccount } from './account-store.ts';
import { mustCover } from './follow-accounts.ts';
import { startingMark } from './start-account.ts';

const account = (change: Partial<FollowedAccount> = {}): FollowedAccount => ({
  account: 'a',
  state: 'following',
  startAt: 0,
  openUntil: 10_000,
  cursor: { height: 100, time: 1_000 },
  version: 1n,
  covered: { height: 90, time: 1_000 },
  unsettled: false,
  failures: 0,
  doubtedMs: undefined,
  ...change,
});

const final = (time: number) => ({ height: 200, time });

test.each<[string, Partial<FollowedAccount>, number, boolean]>([
  ['nothing happens and coverage is near', {}, 1_014, false],
  ['coverage is far behind', {}, 1_015, true],
  ['something seen is to settle', { unsettled: true }, 1_001, true],
  ['it was never read', { state: 'starting', covered: undefined }, 1_001, true],
  ['an end became final', { openUntil: 1_003 }, 1_004, true],
  ['an end is not final yet', { openUntil: 1_004 }, 1_004, false],
  ['the last end is covered', { openUntil: 999 }, 1_004, false],
])('an account is read though it looks unchanged: %s', (_title, change, finalTime, must) => {
  expect(mustCover(account(change), final(finalTime), 15)).toBe(must);
});

test.each([
  ['a moment ago', 990, { height: 1_960, time: 990 }],
  ['now', 1_000, { height: 2_000, time: 1_000 }],
  ['later than what is final', 1_010, { height: 2_000, time: 1_000 }],
  ['before the chain began', -9_000, { height: 0, time: -9_000 }],
])('an account begins no later than the moment from which payments count: %s', (_title, startAt, expected) => {
  expect(startingMark(startAt, { height: 2_000, time: 1_000 }, 4)).toEqual(expected);
});
