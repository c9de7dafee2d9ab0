import { expect, test } from 'vitest';
import type { Gate } from './expiry-sql.ts';
import { lowerGates } from './expire-due-invoices.ts';

const gate = (seconds: number, tier = 'safe', scope = ''): Gate => ({
  network: 'ETH',
  tier,
  scope,
  coveredUntil: new Date(seconds * 1000),
});

test.each<[string, Gate[], Gate[], Gate[]]>([
  ['coverage that stayed is believed', [gate(5)], [gate(5)], [gate(5)]],
  ['coverage that came since is not', [gate(5)], [gate(9)], [gate(5)]],
  ['coverage that a reorg took away is not', [gate(5)], [gate(3)], [gate(3)]],
  ['a network that froze covers nothing', [gate(5)], [], []],
  ['a gate without coverage before stays closed', [], [gate(5)], []],
  [
    'each tier is compared by itself',
    [gate(5), gate(4, 'finalized')],
    [gate(5), gate(2, 'finalized')],
    [gate(5), gate(2, 'finalized')],
  ],
  [
    'each account is compared by itself',
    [gate(5, 'safe', 'a'), gate(4, 'safe', 'b')],
    [gate(5, 'safe', 'a'), gate(2, 'safe', 'b')],
    [gate(5, 'safe', 'a'), gate(2, 'safe', 'b')],
  ],
])('coverage read before the lock and again under it: %s', (_title, before, now, expected) => {
  expect(lowerGates(before, now)).toEqual(expected);
});
