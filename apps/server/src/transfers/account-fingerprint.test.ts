import { expect, test } from 'vitest';
import type { Fingerprint } from './account-fingerprint.ts';
import { afterLook, hasChanged, remember } from './account-fingerprint.ts';

/** Polls until an account counts as unchanged, each followed by a look that finds a payment or not. */
function looksAt(known: Fingerprint | undefined, held: string, finds: readonly boolean[]): number {
  let looks = 0;
  for (let now = known; hasChanged(now, held); looks += 1) now = afterLook(now, held, finds[looks] ?? false);
  return looks;
}

const before: Fingerprint = { held: '5', looksLeft: 0 };

test.each<[string, Fingerprint | undefined, string, boolean[], number]>([
  ['it holds what it held', before, '5', [], 0],
  ['it was never looked at by this process', undefined, '5', [], 1],
  ['the payment is found at once', before, '9', [true], 1],
  ['the listing was behind', before, '9', [false, true], 2],
  ['nothing explains it: it paid somebody itself', before, '0', [], 3],
  ['it changed again while it was looked at', { held: '9', looksLeft: 1 }, '8', [], 3],
])('a change is looked at until it is explained, a few times at most: %s', (_title, known, held, finds, looks) => {
  expect(looksAt(known, held, finds)).toBe(looks);
});

test('what is not told counts as changed', () => {
  expect(hasChanged(before, undefined)).toBe(true);
});

test('the oldest are forgotten', () => {
  const fingerprints = new Map<string, Fingerprint>();
  for (let count = 0; count <= 50_000; count += 1) remember(fingerprints, `account ${count}`, before);
  expect(fingerprints.size).toBe(50_000);
  expect(fingerprints.has('account 0')).toBe(false);
});
