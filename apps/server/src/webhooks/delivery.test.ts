import { describe, expect, test } from 'vitest';
import type { AttemptOutcome, NextStep } from './delivery.ts';
import { MAX_ATTEMPTS, maxAttemptsOf, planNext, RETRY_DELAYS_MS } from './delivery.ts';

const now = Date.UTC(2026, 10, 15);
const hour = 3_600_000;
const refused: AttemptOutcome = { status: 500 };

test('the schedule has twelve attempts over seven days', () => {
  expect(MAX_ATTEMPTS).toBe(12);
  const total = RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0);
  expect(total / hour / 24).toBeCloseTo(6.73, 1);
});

describe('planNext', () => {
  test.each<[string, number, AttemptOutcome, NextStep]>([
    ['any 2xx is a delivery', 1, { status: 200 }, { state: 'delivered' }],
    ['204 too', 5, { status: 204 }, { state: 'delivered' }],
    ['a redirect is a failure', 1, { status: 302 }, { state: 'pending', nextAttemptAtMs: now + 5_000 }],
    ['a refusal is tried again after 5 s', 1, refused, { state: 'pending', nextAttemptAtMs: now + 5_000 }],
    [
      'no answer is tried again after 30 s',
      2,
      { error: 'timeout' },
      { state: 'pending', nextAttemptAtMs: now + 30_000 },
    ],
    ['410 ends it', 1, { status: 410 }, { state: 'failed' }],
    ['the last attempt ends it', 12, refused, { state: 'failed' }],
    ['the eleventh is followed two days later', 11, refused, { state: 'pending', nextAttemptAtMs: now + 48 * hour }],
    [
      'retry-after in seconds is honoured',
      1,
      { status: 429, retryAfter: '120' },
      { state: 'pending', nextAttemptAtMs: now + 120_000 },
    ],
    [
      'a shorter retry-after does not shorten the schedule',
      3,
      { status: 503, retryAfter: '1' },
      { state: 'pending', nextAttemptAtMs: now + 300_000 },
    ],
    [
      'retry-after as a date',
      1,
      { status: 503, retryAfter: new Date(now + hour).toUTCString() },
      { state: 'pending', nextAttemptAtMs: now + hour },
    ],
    [
      'an endless retry-after is bounded',
      1,
      { status: 503, retryAfter: '999999999' },
      { state: 'pending', nextAttemptAtMs: now + 48 * hour },
    ],
    [
      'a senseless retry-after is ignored',
      1,
      { status: 503, retryAfter: 'soon' },
      { state: 'pending', nextAttemptAtMs: now + 5_000 },
    ],
  ])('%s', (_rule, attempts, outcome, step) => {
    expect(planNext(attempts, outcome, now, 0.5)).toEqual(step);
  });

  test('a test event is tried three times', () => {
    const limit = maxAttemptsOf('webhook.test');
    expect(planNext(2, refused, now, 0.5, limit)).toEqual({ state: 'pending', nextAttemptAtMs: now + 30_000 });
    expect(planNext(3, refused, now, 0.5, limit)).toEqual({ state: 'failed' });
  });

  test('jitter moves a retry by at most a tenth', () => {
    expect(planNext(3, refused, now, 0)).toEqual({ state: 'pending', nextAttemptAtMs: now + 270_000 });
    expect(planNext(3, refused, now, 1)).toEqual({ state: 'pending', nextAttemptAtMs: now + 330_000 });
  });
});
