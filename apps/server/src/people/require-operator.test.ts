import { expect, test } from 'vitest';
import { Refusal } from '../lib/refusal.ts';
import { requireOperator } from './require-operator.ts';

const outcome = (operatorRole: 'operator' | 'support' | null, right: 'see' | 'look' | 'change') => {
  try {
    requireOperator({ operatorRole }, right);
    return 'allowed';
  } catch (cause) {
    if (cause instanceof Refusal) return cause.code;
    throw cause;
  }
};

test.each([
  ['operator', 'allowed', 'allowed', 'allowed'],
  ['support', 'allowed', 'allowed', 'NO_PERMISSION'],
  [null, 'OPERATORS_ONLY', 'OPERATORS_ONLY', 'OPERATORS_ONLY'],
] as const)('a person with the operator role %s: see %s, look %s, change %s', (role, see, look, change) => {
  expect([outcome(role, 'see'), outcome(role, 'look'), outcome(role, 'change')]).toEqual([see, look, change]);
});
