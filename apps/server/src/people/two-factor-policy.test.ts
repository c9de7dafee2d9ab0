import { expect, test } from 'vitest';
import { decidePolicy } from './two-factor-policy.ts';

test.each([
  [false, false, false, 'unchanged'],
  [false, false, true, 'unchanged'],
  [false, true, false, 'set-up-first'],
  [false, true, true, 'switch-on'],
  [true, false, false, 'switch-off'],
  [true, false, true, 'switch-off'],
  [true, true, false, 'unchanged'],
  [true, true, true, 'unchanged'],
] as const)(
  'with the requirement %s, a request for %s by an owner whose own two-factor is %s is decided as %s',
  (present, wanted, ownFactor, decision) => {
    expect(decidePolicy({ present, wanted, ownFactor })).toBe(decision);
  },
);
