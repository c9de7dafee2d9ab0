import { expect, test } from 'vitest';
import { createManualClock } from '../lib/clock.ts';
import { noteDispute } from './require-agreed.ts';

const MOST_REMEMBERED = 10_000;

test('of more disputes than are remembered, the oldest are forgotten', async () => {
  const memory = { disputes: new Map<string, number>(), alarmed: new Set<string>() };
  const follower = { clock: createManualClock(0), memory } as unknown as Parameters<typeof noteDispute>[0];
  for (let place = 0; place <= MOST_REMEMBERED; place += 1) await noteDispute(follower, `tx${place}`, {});
  expect(memory.disputes.size).toBe(MOST_REMEMBERED);
  expect(memory.disputes.has('tx0')).toBe(false);
  expect(memory.disputes.has(`tx${MOST_REMEMBERED}`)).toBe(true);
});
