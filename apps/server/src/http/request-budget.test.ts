import { expect, test } from 'vitest';
import { createManualClock } from '../lib/clock.ts';
import { createRequestBudget } from './request-budget.ts';

const REQUESTS_PER_MINUTE = 40;

function spend(take: (address: string) => number | undefined, address: string, times: number) {
  const answers = Array.from({ length: times }, () => take(address));
  return answers.filter((answer) => answer !== undefined);
}

test('a caller has its budget in each minute, and is told when the next one begins', () => {
  const clock = createManualClock(0);
  const take = createRequestBudget(clock, REQUESTS_PER_MINUTE);
  expect(spend(take, '192.0.2.1', REQUESTS_PER_MINUTE)).toEqual([]);
  clock.advance(20_000);
  expect(take('192.0.2.1')).toBe(40);
  clock.advance(40_000);
  expect(take('192.0.2.1')).toBeUndefined();
});

test('callers do not use up the budget of others', () => {
  const take = createRequestBudget(createManualClock(0), REQUESTS_PER_MINUTE);
  expect(spend(take, '192.0.2.1', REQUESTS_PER_MINUTE + 1)).toHaveLength(1);
  expect(take('192.0.2.2')).toBeUndefined();
});

test('addresses of one IPv6 network are one caller', () => {
  const take = createRequestBudget(createManualClock(0), REQUESTS_PER_MINUTE);
  for (let n = 0; n < REQUESTS_PER_MINUTE; n += 1) take(`2001:db8::${n.toString(16)}`);
  expect(take('2001:db8::ffff')).toBeDefined();
});

test.each([
  ['/56', 4, (n: number) => `2001:db8:1:${(n % 256).toString(16)}::1`],
  ['/48', 16, (n: number) => `2001:db8:1:${((n % 256) * 256).toString(16)}::1`],
] as const)('whoever has an IPv6 %s has a bounded multiple of one budget', (_network, share, addressOf) => {
  const take = createRequestBudget(createManualClock(0), REQUESTS_PER_MINUTE);
  const most = REQUESTS_PER_MINUTE * share;
  const answers = Array.from({ length: most + 10 }, (_unused, n) => take(addressOf(n)));
  expect(answers.findIndex((answer) => answer !== undefined)).toBe(most);
  expect(take('2001:db8:2::1')).toBeUndefined();
});

test('one address does not use up the budgets of the networks around it', () => {
  const take = createRequestBudget(createManualClock(0), REQUESTS_PER_MINUTE);
  expect(spend(take, '2001:db8:1:1::1', 100 * REQUESTS_PER_MINUTE)).toHaveLength(99 * REQUESTS_PER_MINUTE);
  expect(take('2001:db8:1:2::1')).toBeUndefined();
});
