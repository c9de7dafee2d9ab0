import { expect, test } from 'vitest';
import { createManualClock } from '../lib/clock.ts';
import type { PastHeadsMemory } from './past-heads.ts';
import { heightSeenBefore, noteHead } from './past-heads.ts';

const MINUTE_MS = 60_000;

function open() {
  const clock = createManualClock(1_000_000);
  const memory: PastHeadsMemory = { pastHeads: { rewinds: 0n, seen: [] } };
  return {
    memory,
    see: (height: number, afterMs: number, rewinds = 0n) => {
      clock.advance(afterMs);
      noteHead(memory, rewinds, height, clock);
    },
    aged: () => heightSeenBefore(memory, MINUTE_MS, clock),
  };
}

test('nothing is old that this process has not seen for as long', () => {
  const { see, aged } = open();
  expect(aged()).toBeUndefined();
  see(100, 0);
  see(5_000, MINUTE_MS - 1);
  expect(aged()).toBeUndefined();
  see(5_001, 1);
  expect(aged()).toBe(100);
  see(5_002, MINUTE_MS - 1);
  expect(aged()).toBe(5_000);
  see(5_003, 1);
  expect(aged()).toBe(5_001);
});

test('a height that was seen again after a rewind is young again', () => {
  const { see, aged } = open();
  see(100, 0);
  see(100, MINUTE_MS, 1n);
  expect(aged()).toBeUndefined();
});

test('memory is bounded: two heads are kept per second, and the oldest are forgotten', () => {
  const { memory, see } = open();
  for (let height = 0; height < 20; height += 1) see(height, 50);
  expect(memory.pastHeads.seen.length).toBeLessThan(4);
  for (let height = 20; height < 10_000; height += 1) see(height, 1_000);
  expect(memory.pastHeads.seen).toHaveLength(7_200);
});
