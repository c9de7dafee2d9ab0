import { expect, test } from 'vitest';
import { createManualClock } from '../lib/clock.ts';
import type { VisitorLimits } from './visitor-limits.ts';
import { createVisitorLimits, VISITOR_LIMITS, WINDOW_SECONDS } from './visitor-limits.ts';

const START = 1_794_700_000_000;

function admitted(limits: VisitorLimits, times: number, name = '192.0.2.1'): number {
  return Array.from({ length: times }, () => limits.admit('check', 'address', name)).filter(Boolean).length;
}

test('an address is let in up to its limit, another is not held up by it, and a new minute begins anew', () => {
  const clock = createManualClock(START);
  const limits = createVisitorLimits(clock);
  const most = VISITOR_LIMITS.check.address;
  expect(admitted(limits, most + 5)).toBe(most);
  expect(limits.isOver('check', 'address', '192.0.2.1')).toBe(true);
  expect(admitted(limits, 1, '192.0.2.2')).toBe(1);
  clock.advance(WINDOW_SECONDS * 1000);
  expect(admitted(limits, 1)).toBe(1);
});

test('memory is bounded: those who no longer fit share one count, and the others keep their own', () => {
  const limits = createVisitorLimits(createManualClock(START), 10);
  for (let index = 0; index < 10; index += 1) admitted(limits, 1, `known ${index}`);
  const strangers = Array.from({ length: 1_000 }, (_unused, index) => admitted(limits, 1, `stranger ${index}`));
  expect(strangers.filter((times) => times === 1)).toHaveLength(VISITOR_LIMITS.check.address * 20);
  expect(admitted(limits, 1, 'known 3')).toBe(1);
});

test('a customer on a phone with several tabs stays far below what is let in', () => {
  const polled = 60 / 4;
  expect(VISITOR_LIMITS.read.address).toBeGreaterThan(20 * 3 * polled);
  expect(VISITOR_LIMITS.read.invoice).toBeGreaterThan(10 * 3 * polled);
});
