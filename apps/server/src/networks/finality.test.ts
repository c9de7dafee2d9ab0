import { expect, test } from 'vitest';
import type { Tier } from './finality.ts';
import { parseTier, tierFor } from './finality.ts';
import { CHAIN_NETWORKS } from './chain-networks.ts';

const usd = 100_000_000n;

test.each<[string, bigint, Tier]>([
  ['ETH', 999n * usd, 'conf:12'],
  ['ETH', 1000n * usd - 1n, 'conf:12'],
  ['ETH', 1000n * usd, 'conf:64'],
  ['ETH', 10_000n * usd, 'finalized'],
  ['BSC', 1n, 'finalized'],
  ['BSC', 1_000_000n * usd, 'finalized'],
  ['ARBITRUM', 5n * usd, 'age:60'],
  ['ARBITRUM', 1000n * usd, 'safe'],
  ['TRC20', 5n * usd, 'finalized'],
  ['SOL', 5n * usd, 'finalized'],
])('on %s an amount of %s units is settled at %s', (symbol, amount, tier) => {
  const policy = CHAIN_NETWORKS.find((network) => network.id === symbol)?.policy ?? [];
  expect(tierFor(policy, amount)).toBe(tier);
});

test('every tier of every network can be read back', () => {
  for (const network of CHAIN_NETWORKS) for (const { tier } of network.policy) expect(parseTier(tier)).toBeDefined();
});

test.each(['conf', 'conf:0', 'conf:x', 'age:-1', 'latest', ''])('%j is no tier', (tier) => {
  expect(() => parseTier(tier)).toThrow(/not a finality tier/);
});
