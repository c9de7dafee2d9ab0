import type { ListedNetwork } from '@counterfoil/core/network-list.ts';
import { LISTED_CHAINS, LISTED_PLATFORMS, LISTED_SANDBOX } from '@counterfoil/core/network-list.ts';
import { expect, test } from 'vitest';
import { CHAIN_NETWORKS } from './chain-networks.ts';
import { EXCHANGE_NETWORKS } from './exchange-networks.ts';
import type { Network } from './network.ts';
import { SANDBOX_NETWORKS } from './sandbox-networks.ts';

const listedAs = ({ id, name, family, payer, tokens }: Network): ListedNetwork => ({
  id,
  name,
  family,
  standard: payer.standard,
  fee: payer.fee,
  seconds: payer.typicalSeconds,
  tokens: tokens.map(({ symbol }) => symbol),
  explorer: payer.explorerUrl,
});

test.each([
  ['chains', CHAIN_NETWORKS, LISTED_CHAINS],
  ['exchange platforms', EXCHANGE_NETWORKS, LISTED_PLATFORMS],
  ['networks of the sandbox', SANDBOX_NETWORKS, LISTED_SANDBOX],
] as const)(
  'the list that browsers have names the same %s, with the same tokens, in the same order',
  (_, networks, listed) => {
    expect(networks.map(listedAs)).toEqual(listed);
  },
);
