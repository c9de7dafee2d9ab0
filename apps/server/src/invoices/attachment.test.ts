import { expect, test } from 'vitest';
import { createAttachmentCode, nextTryAfter } from './attachment.ts';

const NOW = new Date('2026-11-16T12:00:00Z');

test.each([
  [1, 1],
  [2, 2],
  [5, 16],
  [10, 512],
  [11, 600],
  [13, 600],
])('after %d tries that failed a request rests for %d seconds', (tries, seconds) => {
  expect(nextTryAfter(tries, NOW)).toEqual(new Date(NOW.getTime() + seconds * 1_000));
});

test('after fourteen tries a request is not tried again', () => {
  expect(nextTryAfter(14, NOW)).toBeUndefined();
});

test('a request has a code of its own', () => {
  expect(createAttachmentCode()).toMatch(/^ATT-[A-Z0-9]{12}$/);
});
