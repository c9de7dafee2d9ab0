import { expect, test } from 'vitest';
import { createManualClock } from '../lib/clock.ts';
import { isNetworkOffered, isRead } from './reading.ts';

const NOW = Date.UTC(2026, 10, 15);
const ago = (seconds: number) => new Date(NOW - seconds * 1_000);

test.each<[string, { read: number; head: number; shown: number | null }, boolean]>([
  ['everything is fresh', { read: 4, head: 1, shown: 0 }, true],
  ['its node was last heard two minutes ago', { read: 120, head: 120, shown: 120 }, true],
  ['its node was last heard longer ago', { read: 121, head: 121, shown: 121 }, false],
  ['its head is shown and its reader is two minutes behind', { read: 121, head: 1, shown: 0 }, true],
  ['its head is shown and its reader is further behind', { read: 122, head: 1, shown: 0 }, false],
  ['both together are too much', { read: 130, head: 60, shown: 60 }, false],
  ['the chain halted hours ago, and is read to its end', { read: 7_200, head: 7_200, shown: 1 }, true],
  ['it was started just now', { read: 3, head: 3, shown: null }, true],
  ['it was started long ago and never read', { read: 500, head: 500, shown: null }, false],
])('a network is read when its last complete read is at most two minutes old: %s', (_title, given, read) => {
  const fact = {
    readTime: ago(given.read),
    headTime: ago(given.head),
    headReadAt: given.shown === null ? null : ago(given.shown),
  };
  expect(isRead(fact, createManualClock(NOW))).toBe(read);
});

test.each<[string, { read: number; head: number; shown: number | null }, boolean]>([
  ['its head is a minute behind', { read: 60, head: 60, shown: 0 }, true],
  ['its head is further behind', { read: 61, head: 61, shown: 0 }, false],
  ['its head is ten minutes behind, after a halt', { read: 600, head: 600, shown: 1 }, false],
  ['its head was a minute behind when it was shown a minute ago', { read: 120, head: 120, shown: 60 }, true],
  ['its head was behind, and was shown too long ago', { read: 121, head: 121, shown: 61 }, false],
  ['its head was current, and was shown two minutes ago', { read: 120, head: 120, shown: 120 }, true],
  ['its head is current, and its reader is behind', { read: 122, head: 1, shown: 0 }, false],
  ['it was started just now', { read: 3, head: 3, shown: null }, true],
])('a network is offered when its head is at most a minute behind: %s', (_title, given, offered) => {
  const fact = {
    readTime: ago(given.read),
    headTime: ago(given.head),
    headReadAt: given.shown === null ? null : ago(given.shown),
  };
  expect(isNetworkOffered(fact, createManualClock(NOW))).toBe(offered);
});

test('a network counts as read for as long in real time on a clock that runs faster', () => {
  const clock = { nowMs: () => NOW, rate: 10 };
  const fact = { readTime: ago(1_200), headTime: ago(1_200), headReadAt: ago(1_200) };
  expect(isRead(fact, clock)).toBe(true);
  expect(isRead({ ...fact, headReadAt: ago(1_201) }, clock)).toBe(false);
});
