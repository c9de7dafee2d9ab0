import { expect, test } from 'vitest';
import { createManualClock } from '../lib/clock.ts';
import type { NetworkState } from './network-state.ts';
import { networkState } from './network-state.ts';

const NOW = Date.UTC(2026, 10, 15);
const ago = (seconds: number) => new Date(NOW - seconds * 1_000);

test.each<[string, { read: number; head?: number; shown: number; frozen?: boolean }, NetworkState]>([
  ['is ready while it is read', { read: 3, shown: 1 }, 'ready'],
  ['is ready when its reader is two minutes behind', { read: 120, head: 2, shown: 1 }, 'ready'],
  ['whose reader is further behind can be chosen', { read: 121, head: 2, shown: 1 }, 'behind'],
  ['is ready a minute after its newest block', { read: 61, shown: 1 }, 'ready'],
  ['that makes no blocks for longer cannot be chosen', { read: 62, shown: 1 }, 'unavailable'],
  ['that was last read two minutes ago can be chosen', { read: 120, shown: 120 }, 'ready'],
  ['that was last read longer ago cannot be chosen', { read: 121, shown: 121 }, 'unavailable'],
  ['that is frozen cannot be chosen', { read: 3, shown: 1, frozen: true }, 'unavailable'],
])('a network %s', (_title, { read, head = read, shown, frozen = false }, state) => {
  const fact = { readTime: ago(read), headTime: ago(head), headReadAt: ago(shown), frozen };
  expect(networkState(fact, createManualClock(NOW))).toBe(state);
});
