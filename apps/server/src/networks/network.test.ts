import { normalizeAddress } from '@counterfoil/core/address.ts';
import { expect, test } from 'vitest';
import { CHAIN_NETWORKS } from './chain-networks.ts';
import { tokenName } from './network.ts';
import { createNetworks, requireToken } from './networks.ts';

test('network symbols are those of the contract', () => {
  const symbols = CHAIN_NETWORKS.map((network) => network.id);
  expect(symbols).toEqual(['BSC', 'ETH', 'TRC20', 'SOL', 'POLYGON', 'ARBITRUM', 'OPTIMISM', 'BASE', 'AVAX']);
});

test('every contract is a valid address of its family, in its one written form', () => {
  for (const network of CHAIN_NETWORKS) {
    const contracts = network.tokens.flatMap((token) => token.contract ?? []);
    expect(contracts.map((contract) => normalizeAddress(network.family, contract))).toEqual(contracts);
  }
});

function unique(values: readonly unknown[]): void {
  expect(new Set(values).size).toBe(values.length);
}

test('a network lists a symbol and a contract once, and a chain id stands for one network', () => {
  for (const network of CHAIN_NETWORKS) {
    unique(network.tokens.map((token) => token.symbol));
    unique(network.tokens.map((token) => token.contract));
  }
  unique(CHAIN_NETWORKS.flatMap((network) => network.chainId ?? []));
});

test('nobody is shown more digits than the chain has, and every policy ends with a tier for all amounts', () => {
  for (const network of CHAIN_NETWORKS) {
    for (const token of network.tokens) expect(token.displayDecimals).toBeLessThanOrEqual(token.decimals);
    expect(network.policy.at(-1)?.belowUsd).toBeNull();
  }
});

test('tether and circle dollars have 18 decimals on BSC and 6 elsewhere', () => {
  for (const network of CHAIN_NETWORKS) {
    for (const token of network.tokens.filter((one) => one.stable)) {
      expect(token.decimals).toBe(network.id === 'BSC' ? 18 : 6);
    }
  }
});

test('every network and token has a name for people', () => {
  for (const network of CHAIN_NETWORKS) {
    expect(network.payer.explorerUrl).toMatch(/^https:\/\/[a-z.]+\//);
    for (const token of network.tokens) expect(tokenName(token.symbol)).not.toBe('');
  }
  unique(CHAIN_NETWORKS.map((network) => network.payer.trustCoin));
  unique(CHAIN_NETWORKS.map((network) => network.payer.standard));
});

test('the amount of a token that is not known is not shown with other decimals', () => {
  const networks = createNetworks();
  expect(requireToken(networks, 'BSC', 'USDT').decimals).toBe(18);
  expect(() => requireToken(networks, 'BSC', 'NONE')).toThrow('NONE on BSC is recorded but not known');
  expect(() => requireToken(networks, 'NOWHERE', 'USDT')).toThrow('not known');
});

test('two networks cannot have the same id', () => {
  expect(() => createNetworks([...CHAIN_NETWORKS, ...CHAIN_NETWORKS.slice(0, 1)])).toThrow('Two networks');
});
