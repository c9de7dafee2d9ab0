import { expect, test } from 'vitest';
import { daysLeft } from './days-left.ts';

test.each<[string, bigint, bigint, number | null]>([
  ['is unknown without fees', 5_000_000n, 0n, null],
  ['is unknown without fees and money', 0n, 0n, null],
  ['is a week when a week of fees is left', 7_000_000n, 7_000_000n, 7],
  ['is rounded down', 999_999n, 7_000_000n, 0],
  ['is a day when exactly a day of fees is left', 1_000_000n, 7_000_000n, 1],
  ['is nothing when the balance is used up', 0n, 7n, 0],
  ['is nothing when the balance is overdrawn', -5n, 7n, 0],
  ['is told as 9999 when it is more', 10n ** 18n, 1n, 9_999],
])('how long a balance lasts %s', (_what, available, fees, expected) => {
  expect(daysLeft(available, fees)).toBe(expected);
});
