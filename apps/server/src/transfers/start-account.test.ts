import { expect, test } from 'vitest';
import { startingMark } from './start-account.ts';

test.each([
  ['a moment ago', 990, { height: 1_960, time: 990 }],
  ['now', 1_000, { height: 2_000, time: 1_000 }],
  ['later than what is final', 1_010, { height: 2_000, time: 1_000 }],
  ['before the chain began', -9_000, { height: 0, time: -9_000 }],
])('an account begins no later than the moment from which payments count: %s', (_title, startAt, expected) => {
  expect(startingMark(startAt, { height: 2_000, time: 1_000 }, 4)).toEqual(expected);
});
