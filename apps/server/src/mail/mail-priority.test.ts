import { expect, test } from 'vitest';
import { MOST_RANKS, priorityOf } from './mail-priority.ts';

test('every security email is sent before every ordinary one', () => {
  expect(priorityOf('reset-password', 2 * MOST_RANKS)).toBeGreaterThanOrEqual(priorityOf('invitation', 0));
  expect(priorityOf('method-change-requested', 3)).toBeGreaterThan(priorityOf('role-changed', 0));
});

test('the first email of a merchant is sent before the second of another', () => {
  expect(priorityOf('invitation', 0)).toBeGreaterThan(priorityOf('team-changed', 1));
  expect(priorityOf('factor-added', 0)).toBeGreaterThan(priorityOf('methods-locked', 600));
});
