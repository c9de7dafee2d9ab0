import { expect, test } from 'vitest';
import { SourceError } from '../sources/chain-source.ts';
import { backoffMs } from './backoff.ts';

const refused = (retryAfterMs: number) => new SourceError('rate', 'refused', { retryAfterMs });

test.each([
  ['the first failure waits for one poll', 2_000, 0, new Error('no answer'), 1, 2_000],
  ['each failure doubles the wait', 2_000, 3, new Error('no answer'), 1, 16_000],
  ['a wait is at most a minute', 2_000, 40, refused(3_600_000), 1, 60_000],
  ['a source is not asked before the time that it named', 2_000, 0, refused(30_000), 1, 30_000],
  ['a source that names a short time still waits for the failures', 2_000, 4, refused(1_000), 1, 32_000],
  ['a source on a clock twenty times as fast names a time by that clock', 100, 0, refused(100_000), 20, 5_000],
])('%s', (_rule, pollMs, failures, cause, rate, expected) => {
  expect(backoffMs(pollMs, failures, cause, rate)).toBe(expected);
});
